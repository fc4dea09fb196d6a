import { checkUrl } from '@parley/outgoing-http';
import type { ServiceConfig } from '@parley/service-kit';
import type { Facts } from '../facts.ts';

/** Checks a webhook's URL when it is set, as far as the URL alone tells; the rest is found out when it is called. */
export const createUrlFault =
  ({ ALLOW_LOOPBACK_REQUESTS }: Pick<ServiceConfig, 'ALLOW_LOOPBACK_REQUESTS'>): Facts['urlFault'] =>
  (url) => {
    const checked = checkUrl(url, { allowLoopback: ALLOW_LOOPBACK_REQUESTS });
    return checked.kind === 'ok' ? null : checked.message;
  };
