import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findFreePort } from './free-port.ts';
import { startPostgres } from './postgres.ts';

test('a Postgres is made without leaving its password anywhere, where no temporary folder is', async () => {
  const home = await mkdtemp(join(tmpdir(), 'parley-postgres-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await chmod(home, 0o755);
  vi.stubEnv('TMPDIR', join(home, 'gone'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const dataDir = join(home, 'postgres');
  const server = await startPostgres({ dataDir, port: await findFreePort(), password: 'x' });
  await server.stop();
  expect(await readdir(home)).toEqual(['postgres']);
});
