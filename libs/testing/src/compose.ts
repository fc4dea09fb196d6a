import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const composedService = z.object({
  environment: z.record(z.string(), z.unknown()).optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }).optional(),
});
const compose = z.object({ services: z.record(z.string(), composedService) });

/** The services of `docker-compose.yml`, by name. Throws where the file is not valid YAML. */
export function composedServices(): Readonly<Record<string, z.output<typeof composedService>>> {
  const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  return compose.parse(parse(text, { merge: true })).services;
}

/** The keys that `docker-compose.yml` hands over to a service. */
export const composedKeys = (service: string): readonly string[] =>
  Object.keys(composedServices()[service]?.environment ?? {});
