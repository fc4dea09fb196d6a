import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const compose = z.object({
  services: z.record(z.string(), z.object({ environment: z.record(z.string(), z.unknown()).optional() })),
});

/** The keys that `docker-compose.yml` hands over to a service. Throws where the file is not valid YAML. */
export function composedKeys(service: string): readonly string[] {
  const text = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  return Object.keys(compose.parse(parse(text, { merge: true })).services[service]?.environment ?? {});
}
