import type { Settings } from '../settings.ts';
import type { Instance } from './ports.ts';
import { compiledOf } from './service-table.ts';

/** The settings that all services of a stack share. */
interface Given {
  readonly settings: Settings;
  /** The environment that the services inherit. */
  readonly environment: NodeJS.ProcessEnv;
  /** The home's keys, used where the environment has no SECRETS_KEYS. */
  readonly secretsKeys: string;
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly sandboxUrl: string;
  readonly gatewayUrl: string;
}

/** The environment of one copy of a service. */
export const environmentOf = ({ service, port, healthPort }: Instance, given: Given): NodeJS.ProcessEnv => ({
  ...(given.settings.PARLEY_BUNDLES ? { NODE_COMPILE_CACHE: compiledOf(service) } : {}),
  ...given.environment,
  NODE_ENV: given.settings.NODE_ENV,
  LOG_LEVEL: given.settings.LOG_LEVEL,
  DATABASE_URL: given.databaseUrl,
  // What psql is to ask of some other server; the embedded one has no TLS.
  PGSSLMODE: given.settings.DATABASE_URL ? given.environment.PGSSLMODE : undefined,
  NATS_URL: given.natsUrl,
  SECRETS_KEYS: given.environment.SECRETS_KEYS || given.secretsKeys,
  SANDBOX: 'true',
  ALLOW_LOOPBACK_REQUESTS: given.environment.ALLOW_LOOPBACK_REQUESTS ?? 'true',
  SANDBOX_URL: given.sandboxUrl,
  GATEWAY_URL: given.gatewayUrl,
  HOST: given.settings.HOST,
  HEALTH_PORT: healthPort === null ? undefined : String(healthPort),
  ...(service.listensOn ? { [service.listensOn]: String(port) } : {}),
});
