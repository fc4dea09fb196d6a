import { z } from 'zod';
import { Secret } from './secret.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Every fault of the configuration, one line each; never a value, which might be a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const serverUrlError =
  'Must be nats://<user>:<password>@<host>:<port>, several separated by commas; in a password / is %2F, @ is %40, % is %25.';

function isServerUrl(text: string): boolean {
  const url = URL.parse(text.includes('://') ? text.trim() : `nats://${text.trim()}`);
  return url !== null && !/%(?![\da-f]{2})/i.test(`${url.username}:${url.password}`);
}

/** URLs of NATS servers, separated by commas. They may hold a password, which an `Invalid URL` would show in the log. */
export const natsUrls = () =>
  z.string().refine((list) => list.split(',').every(isServerUrl), { error: serverUrlError });

/** The keys every process has. Each has a default that works on a fresh machine. */
export const processConfig = z.object({
  NODE_ENV: z.enum(['production', 'development', 'test']).default('production'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  NATS_URL: natsUrls()
    .default('nats://127.0.0.1:4222')
    .transform((list) => list.split(',').map((url) => url.trim())),
});

/** Text that must not be printed. */
export const secret = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((value) => new Secret(value));

/** Marks a key whose default leads to the sandbox, or is known to everybody: only with a sandbox it may stay. */
export function sandboxOnly<Key extends z.ZodType>(key: Key): Key {
  sandboxKeys.add(key);
  return key;
}

const sandboxKeys = z.registry<undefined>();

/** The names of keys marked `sandboxOnly` that have their default. */
export const keysLeftToSandbox = (schema: z.ZodObject, config: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(schema.shape)
    .filter(([name, key]) => sandboxKeys.has(key) && textOf(config[name]) === textOf(z.parse(key, undefined)))
    .map(([name]) => name);

const textOf = (value: unknown): unknown => (value instanceof Secret ? value.reveal() : value);

const databaseUrlError =
  'Must be postgres://<user>:<password>@<host>:<port>/<database>; in a password / is %2F, ? is %3F, # is %23, @ is %40, % is %25.';

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^postgres(ql)?:$/.test(url.protocol);
}

const tlsError =
  'Must say of TLS sslmode=disable, require or verify-full, and sslrootcert, sslcert, sslkey, sslnegotiation; what has another name would ask for none.';
const tlsParameters = new Set(['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation']);
const sslModes = /^(disable|allow|prefer|require|verify-ca|verify-full|no-verify)$/;

/** The driver passes over a parameter that it does not know: whoever mistyped one would have no TLS, without a word. */
function asksRightlyForTls(text: string): boolean {
  const parameters = URL.parse(text)?.searchParams ?? new URLSearchParams();
  const names = parameters.keys().filter((name) => /^(ssl|tls)/i.test(name));
  return (
    names.every((name) => tlsParameters.has(name)) && sslModes.test(parameters.get('sslmode') ?? 'allow')
  );
}

/** A Postgres connection URL as a text. */
export const postgresUrl = () =>
  z
    .string()
    .refine(isDatabaseUrl, { error: databaseUrlError })
    .refine(asksRightlyForTls, { error: tlsError });

/** A Postgres connection URL; it holds a password, so it is a secret. */
export const databaseUrl = (fallback = 'postgres://parley:parley@127.0.0.1:5432/postgres') =>
  postgresUrl()
    .default(fallback)
    .transform((value) => new Secret(value));

/** `true`, `1`, `yes`, `on` and their opposites. */
export const flag = (fallback: boolean) => z.stringbool().default(fallback);

const portNumber = z.coerce.number().int().min(0).max(65_535);

/** A TCP port; 0 means any free one. */
export const port = (fallback: number) => portNumber.default(fallback);

/** A TCP port that is not listened on when absent; 0 is none: nobody would know which one to ask. */
export const optionalPort = () => portNumber.min(1).optional();

/**
 * The process's configuration, read once at its start. Throws one `ConfigError` with every fault.
 * A variable that is set to nothing, or to blanks, counts as absent.
 */
export function loadConfig<S extends z.ZodObject>(
  schema: S,
  // biome-ignore lint/style/noProcessEnv: this is the one place where a process reads its environment.
  environment: Environment = process.env,
): z.output<S> {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(['The configuration is not valid:', ...faults].join('\n'));
}

/** `loadConfig` for a `main`: prints the faults and ends the process with status 1. */
export function loadConfigOrExit<S extends z.ZodObject>(schema: S): z.output<S> {
  try {
    return loadConfig(schema);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
