import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startPostgres } from '@parley/embedded-servers';

/** Runs `work` beside a Postgres that nobody else uses, with a directory for whatever it writes; both are gone afterwards. */
export async function withOwnPostgres<T>(work: (url: string, dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  // Postgres may run as another user.
  await chmod(dir, 0o755);
  const server = await startPostgres({
    dataDir: join(dir, 'postgres'),
    port: await findFreePort(),
    password: randomUUID(),
  });
  try {
    return await work(server.url, dir);
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}
