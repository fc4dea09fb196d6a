import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { type AddressPolicy, isAllowedAddress } from './address-policy.ts';
import { isAllowedHost } from './check-url.ts';
import type { ResolveHost } from './resolve-host.ts';

/** The connection would have gone where none may go. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** The name has no address. */
export class HostNotFound extends Error {
  override readonly name = 'HostNotFound';
}

export interface ConnectorOptions {
  readonly policy: AddressPolicy;
  readonly resolve: ResolveHost;
  readonly timeoutMs: number;
}

/** So many addresses of a name may give no answer, and the next one still has its time. */
const addressesTried = 5;

/**
 * Decides at connect time, on the very addresses the socket is going to use: no second look-up lies between check and
 * use. A name with one refused address among its addresses is refused whole.
 */
export function guardedConnector(
  build: typeof buildConnector,
  { policy, resolve, timeoutMs }: ConnectorOptions,
): buildConnector.connector {
  const connect = build({
    timeout: timeoutMs,
    // Node would wait 250 ms for each address but the last, which may be one that this machine has no way to.
    autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / addressesTried),
    allowH2: false,
    lookup: guardedLookup(policy, resolve),
  });
  return (options, callback) => {
    // An address is connected to without a look-up.
    if (isAllowedHost(options.hostname, policy)) connect(options, callback);
    else callback(new AddressRefused(), null);
  };
}

export const guardedLookup =
  (policy: AddressPolicy, resolve: ResolveHost): LookupFunction =>
  (hostname, options, callback) => {
    allowedAddresses(hostname, policy, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else if (first) callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, '', 0),
    );
  };

async function allowedAddresses(hostname: string, policy: AddressPolicy, resolve: ResolveHost) {
  const addresses = await resolve(hostname).catch((cause: unknown) => {
    throw new HostNotFound(undefined, { cause });
  });
  if (addresses.length === 0) throw new HostNotFound();
  if (!addresses.every((address) => isAllowedAddress(address, policy))) throw new AddressRefused();
  return addresses.map((address) => ({ address, family: isIP(address) }));
}
