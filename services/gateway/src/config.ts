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

/** Every key of the gateway's environment; each default works on a fresh machine. */
export const gatewayConfig = processConfig.extend({
  PORT: port(3000),
  HOST: z.string().default('127.0.0.1'),
  /** Origins whose pages may call the API, separated by commas, or `*`; empty: none. */
  CORS_ORIGINS: list,
  /** Addresses or networks of the proxies whose `X-Forwarded-*` headers are believed, separated by commas. */
  TRUST_PROXY: list,
  /** Requests waiting for services at once; what comes on top is refused with 503 at once. */
  MAX_WAITING_REQUESTS: z.coerce.number().int().min(1).default(2000),
});

export type GatewayConfig = z.output<typeof gatewayConfig>;
