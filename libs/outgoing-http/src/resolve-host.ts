import { Resolver } from 'node:dns/promises';
import { isLocalhost } from './check-url.ts';

/** All addresses of a name; rejects, or gives none, when there are none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

/**
 * Asks the name servers, and nothing but them: neither the hosts file nor the search domains, which are ways to names
 * of the inside. Unlike `dns.lookup` it occupies no thread while a slow name server is waited for.
 */
export const askNameServers: ResolveHost = async (hostname) => {
  if (isLocalhost(hostname)) return ['127.0.0.1', '::1'];
  // It reads which name servers there are when it is made, and those may change.
  const resolver = new Resolver({ timeout: 3_000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};
