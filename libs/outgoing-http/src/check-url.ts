import { isIP } from 'node:net';
import { type AddressPolicy, isAllowedAddress } from './address-policy.ts';
import { isRefusedPort } from './refused-ports.ts';

type UrlFault = 'malformed' | 'scheme' | 'credentials' | 'port' | 'address';

export type CheckedUrl =
  | { readonly kind: 'ok'; readonly url: URL }
  /** `message` completes a sentence that begins with the field's name. */
  | { readonly kind: 'refused'; readonly fault: UrlFault; readonly message: string };

const messages: Readonly<Record<UrlFault, string>> = {
  malformed: 'must be a valid URL.',
  scheme: 'must start with http:// or https://.',
  credentials: 'must not hold a user name or password.',
  port: 'must not name a port that is not for the web.',
  address: 'must not point to a private or reserved address.',
};

/**
 * What can be said of a URL without a look-up: for the moment it is saved, and again before each request. Names are
 * judged by what they resolve to when a connection is made, so an accepted URL may still be refused then.
 */
export function checkUrl(text: string, policy: AddressPolicy): CheckedUrl {
  // The parser drops line breaks and tabs and trims the rest: what is kept must be what is called.
  if (/[\p{Cc}\s]/u.test(text) || !text.isWellFormed()) return refused('malformed');
  const url = URL.parse(text);
  if (!url) return refused('malformed');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme');
  if (literalOf(url.hostname) === undefined && !name.test(url.hostname)) return refused('malformed');
  if (url.username !== '' || url.password !== '') return refused('credentials');
  if (isRefusedPort(url.port)) return refused('port');
  if (!isAllowedHost(url.hostname, policy)) return refused('address');
  return { kind: 'ok', url };
}

const refused = (fault: UrlFault): CheckedUrl => ({ kind: 'refused', fault, message: messages[fault] });

/** `hostname` as URL writes it: numbers in any base are dotted decimals already, IPv6 is in brackets. */
export function isAllowedHost(hostname: string, policy: AddressPolicy): boolean {
  const literal = literalOf(hostname);
  if (literal !== undefined) return isAllowedAddress(literal, policy);
  return policy.allowLoopback || !isLocalhost(hostname);
}

/** The address, when the host is one: `net.connect` looks no such host up. */
function literalOf(hostname: string): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** What a host can be called (RFC 1035, section 2.3.4): no `*`, no gap to be filled in, no part that is empty or too long. */
const name = /^(?!.{255})[\w-]{1,63}(\.[\w-]{1,63})*\.?$/;

/** Never asked of a name server (RFC 6761, section 6.3). */
export const isLocalhost = (hostname: string): boolean => /(^|\.)localhost\.?$/i.test(hostname);
