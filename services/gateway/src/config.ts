import { isIP, isIPv4 } from 'node:net';
import { port, processConfig } from '@parley/process-kit';
import { z } from 'zod';

const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

/** An address, a network with its length or netmask, or a name that Fastify has for some of them. */
function isProxy(text: string): boolean {
  const [address = '', range, ...more] = text.split('/');
  if (more.length > 0) return false;
  if (range === undefined) return isIP(address) !== 0 || /^(loopback|linklocal|uniquelocal)$/.test(address);
  if (isIPv4(address) && isIPv4(range)) return true;
  return isIP(address) !== 0 && /^[1-9]\d{0,2}$/.test(range) && Number(range) <= (isIPv4(address) ? 32 : 128);
}

/** As browsers send it: a scheme and a host, perhaps with a port, and nothing behind. */
const isOrigin = (text: string): boolean =>
  /^(\*|null)$/.test(text) || /^[a-z][a-z\d+.-]*:\/\/[^/?#@A-Z]+$/.test(text);

/** Every key of the gateway's environment; each default works on a fresh machine. */
export const gatewayConfig = processConfig.extend({
  PORT: port(3000),
  HOST: z.string().default('127.0.0.1'),
  /** Origins whose pages may call the API, separated by commas, or `*`; empty: none. */
  CORS_ORIGINS: list.refine((origins) => origins.every(isOrigin), {
    error: 'Must be origins such as https://app.example, without a path, separated by commas; or *.',
  }),
  /** Addresses or networks of the proxies whose `X-Forwarded-*` headers are believed, separated by commas. */
  TRUST_PROXY: list.refine((proxies) => proxies.every(isProxy), {
    error: 'Must be IP addresses or networks such as 10.0.0.0/8, separated by commas.',
  }),
  /** Requests waiting for services at once; what comes on top is refused with 503 at once. */
  MAX_WAITING_REQUESTS: z.coerce.number().int().min(1).default(2000),
});

export type GatewayConfig = z.output<typeof gatewayConfig>;
