import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startNats, startPostgres } from '@parley/embedded-servers';
import type { TestProject } from 'vitest/node';
import { makeDataFolder } from './data-folder.ts';
import { createTemplate } from './database.ts';
import { natsBinary } from './nats-binary.ts';
import { onFreePort } from './on-free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
    natsUrl: string;
  }
}

/** Vitest global setup: one real Postgres and one real NATS with JetStream for the run; each test makes its own database. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await makeDataFolder('test');
  const binary = await natsBinary();
  const password = randomBytes(16).toString('hex');
  const [postgres, nats] = await Promise.all([
    onFreePort((port) => startPostgres({ dataDir: join(dir, 'postgres'), port, password })),
    onFreePort((port) => startNats({ binary, storeDir: join(dir, 'nats'), port })),
  ]);
  await createTemplate(postgres.url);
  project.provide('postgresUrl', postgres.url);
  project.provide('natsUrl', nats.url);
  return async () => {
    await Promise.all([postgres.stop(), nats.stop()]);
    await rm(dir, { recursive: true, force: true });
  };
}
