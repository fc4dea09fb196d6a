import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startPostgres } from '@parley/embedded-servers';
import { expect, onTestFinished, test } from 'vitest';
import { makeDataFolder } from './data-folder.ts';
import { onFreePort } from './on-free-port.ts';

test('a server whose port somebody else takes in the same moment is started on another one', async () => {
  const home = await makeDataFolder('postgres');
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const faster = createServer();
  onTestFinished(() => void faster.close());
  const given: number[] = [];
  const server = await onFreePort(async (port) => {
    given.push(port);
    if (!faster.listening) await once(faster.listen(port, '127.0.0.1'), 'listening');
    return startPostgres({ dataDir: join(home, 'postgres'), port, password: 'x' });
  });
  await server.stop();
  expect(given).toHaveLength(2);
  expect(server.url).toContain(`:${given[1]}/`);
});

test('what else keeps a server from starting is told at once', async () => {
  let tries = 0;
  const broken = () => {
    tries += 1;
    return Promise.reject(new Error('no disk'));
  };
  await expect(onFreePort(broken)).rejects.toThrow('no disk');
  expect(tries).toBe(1);
});
