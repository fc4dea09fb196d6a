import ipaddr from 'ipaddr.js';

export interface AddressPolicy {
  /** `127.0.0.0/8` and `::1` too: for a stack that runs on one machine, off everywhere else. */
  readonly allowLoopback: boolean;
}

/** Addresses of IPv6 that are routed at all are given out of this block (RFC 4291, section 2.4). */
const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * May we connect to this address? Only to global unicast: what is private, local, shared, mapped or translated (IPv4 in
 * IPv6, NAT64, 6to4), reserved or for documentation is refused. `address` is what a socket connects to; text that is no
 * address is refused.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressPolicy): boolean {
  const parsed = parse(address);
  if (!parsed) return false;
  if (parsed.range() === 'loopback') return allowLoopback;
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast));
}

/** Strict about the form: the library's own parser also takes what a resolver never gives, as `1` and `0x7f.1`. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  if (ipaddr.IPv6.isValid(address) && !address.includes('%')) return ipaddr.IPv6.parse(address);
  return undefined;
}
