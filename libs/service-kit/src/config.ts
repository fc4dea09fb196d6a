import { databaseUrl, flag, isKnownKeyring, keyring, optionalPort, processConfig } from '@parley/process-kit';
import { z } from 'zod';

/** The configuration of every domain service; a service with keys of its own extends it. */
export const serviceConfig = processConfig.extend({
  /** A Postgres server; each service has a database of its own on it, made when missing. */
  DATABASE_URL: databaseUrl(),
  /** Databases are called `<prefix>_<service>`: several stacks can share a server. */
  DATABASE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/)
    .default('parley'),
  /** What secrets and personal data are sealed with: `<id>:<32 bytes in base64>[,…]`, the newest first. */
  SECRETS_KEYS: keyring(),
  /** Copies that a NATS cluster keeps of the published events. */
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Lets operators move the platform clock and set balances. Never in production. */
  SANDBOX: flag(false),
  /** Lets webhooks and other requests to URLs of customers reach this machine's loopback. Never in production. */
  ALLOW_LOOPBACK_REQUESTS: flag(false),
  /** Where `/health/live`, `/health/ready` and `/metrics` are served; nowhere when absent. */
  HEALTH_PORT: optionalPort(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

/** Keys that everybody knows seal nothing: acceptable only where the outside world is a stand-in. */
export function needOwnKeys({ SANDBOX, SECRETS_KEYS }: ServiceConfig, context: z.RefinementCtx): void {
  if (SANDBOX || !isKnownKeyring(SECRETS_KEYS)) return;
  context.addIssue({
    code: 'custom',
    path: ['SECRETS_KEYS'],
    message: 'Must be set where there is no sandbox.',
  });
}

export type ServiceConfig = z.output<typeof serviceConfig>;
export type ServiceConfigSchema = z.ZodObject & z.ZodType<ServiceConfig>;
