import { resolve } from 'node:path';
import { flag, keyring, loadConfig, natsUrls, optionalPort, port, processConfig } from '@parley/process-kit';
import { z } from 'zod';
import { parseCopies } from './up/copies.ts';

const emptyIsAbsent = (value: string) => value.trim() || undefined;

/** The settings of `parley` in the environment (decisions, section 7). */
const settingsSchema = processConfig.omit({ NATS_URL: true }).extend({
  PARLEY_HOME: z
    .string()
    .default('.parley')
    .transform((path) => resolve(path)),
  PORT: port(3000),
  SANDBOX_PORT: port(3900),
  /** The address the gateway and the sandbox listen on. */
  HOST: z.string().default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .optional()
    .transform((value) => value && emptyIsAbsent(value)),
  NATS_URL: z
    .string()
    .optional()
    .transform((value) => value && emptyIsAbsent(value))
    .pipe(natsUrls().optional()),
  /** The services'; read here so that a wrong one is told before anything is started. */
  SECRETS_KEYS: keyring().optional(),
  /** Where the first service tells of its health and figures; the others follow, one port each. Nowhere when absent. */
  HEALTH_PORT: optionalPort(),
  /** For example `gateway=2,assistants=3`. */
  PARLEY_COPIES: z.string().default('').transform(parseCopies),
  /** Seeds the demo accounts on the first start. */
  PARLEY_DEMO: flag(true),
  /** Without, services run module by module: profiles, coverage and stack traces name the files. */
  PARLEY_BUNDLES: flag(true),
});

export type Settings = z.output<typeof settingsSchema>;

export const loadSettings = (): Settings => loadConfig(settingsSchema);
