import {
  databaseUrl,
  flag,
  keyring,
  keysLeftToSandbox,
  optionalPort,
  processConfig,
  sandboxOnly,
} from '@parley/process-kit';
import { z } from 'zod';

/** The configuration of every domain service; a service with keys of its own extends it. */
export const serviceConfig = processConfig.extend({
  /** A Postgres server; each service has a database of its own on it, made when missing. */
  DATABASE_URL: databaseUrl(),
  /** Databases are called `<prefix>_<service>`: several stacks can share a server, but no NATS. */
  DATABASE_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,39}$/)
    .default('parley'),
  /** What secrets and personal data are sealed with: `<id>:<32 bytes in base64>[,…]`, the newest first. */
  SECRETS_KEYS: sandboxOnly(keyring()),
  /** Copies that a NATS cluster keeps of the published events. */
  NATS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  /** Lets operators move the platform clock and set balances. Never in production. */
  SANDBOX: flag(false),
  /** The base URL of each provider that is given none of its own. */
  SANDBOX_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3900'),
  /** Lets webhooks and other requests to URLs of customers reach this machine's loopback. Never in production. */
  ALLOW_LOOPBACK_REQUESTS: flag(false),
  /**
   * No reactor runs and no timer fires: all that the service does by itself waits until it is started without this. For
   * whoever looks at what a restored backup would do, before it does it.
   */
  HOLD_BACKGROUND: flag(false),
  /** Where `/health/live`, `/health/ready` and `/metrics` are served; nowhere when absent. */
  HEALTH_PORT: optionalPort(),
  HEALTH_HOST: z.string().default('127.0.0.1'),
});

export type ServiceConfig = z.output<typeof serviceConfig>;
export type ServiceConfigSchema = z.ZodObject & z.ZodType<ServiceConfig>;

/** The schema, with a fault for each key that is left to the sandbox where there is none. */
export const refusingSandboxDefaults = <Schema extends ServiceConfigSchema>(schema: Schema): Schema =>
  schema.superRefine((config, context) => {
    if (config.SANDBOX) return;
    for (const name of keysLeftToSandbox(schema, config))
      context.addIssue({ code: 'custom', path: [name], message: 'Must be set where there is no sandbox.' });
  });
