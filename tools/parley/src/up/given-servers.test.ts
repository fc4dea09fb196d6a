import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../settings.ts';
import { checkGivenServers } from './given-servers.ts';

/** The check reads nothing else of the settings. */
const check = (given: Partial<Settings>) => checkGivenServers(given as Settings);

function serverOn(place: string | number): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  return new Promise((resolve) => server.listen(place, () => resolve(server)));
}

async function socketDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-socket-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const databaseIn = (dir: string) => `postgres://parley:secret@${encodeURIComponent(dir)}:5433/postgres`;

test('a server behind a port is reached', async () => {
  const { port } = (await serverOn(0)).address() as AddressInfo;
  await check({ DATABASE_URL: `postgres://parley:secret@127.0.0.1:${port}/postgres` });
  await check({ DATABASE_URL: `postgres://parley:sec,ret@127.0.0.1:${port}/postgres` });
  await check({ NATS_URL: `127.0.0.1:1,127.0.0.1:${port}` });
});

test('Postgres behind a Unix socket is reached', async () => {
  const dir = await socketDir();
  await serverOn(join(dir, '.s.PGSQL.5433'));
  await check({ DATABASE_URL: databaseIn(dir) });
});

test('a server that is not there is named, without its password', async () => {
  const dir = await socketDir();
  for (const [url, place] of [
    ['postgres://parley:secret@127.0.0.1:1/postgres', '127.0.0.1:1'],
    [databaseIn(dir), `${dir}:5433`],
    ['postgres://parley:secret@%zz:5433/postgres', '%zz:5433'],
  ] as const)
    await expect(check({ DATABASE_URL: url })).rejects.toMatchObject({
      message: `DATABASE_URL names ${place}, which cannot be reached.`,
      exitCode: 3,
    });
});

test.each(['postgres://a b', 'postgres://parley:pass/word@127.0.0.1', 'mysql://parley@127.0.0.1'])(
  'DATABASE_URL=%s is refused with how it is written',
  async (DATABASE_URL) => {
    await expect(check({ DATABASE_URL })).rejects.toMatchObject({
      message: expect.stringMatching(/^DATABASE_URL: Must be postgres:.* in a password \/ is %2F/),
      exitCode: 2,
    });
  },
);
