import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runParley } from '../support/run-parley.ts';

test('a command ends where NATS takes its connection and says nothing, as one that hangs', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const noHome = join(tmpdir(), randomUUID());
  expect(await runParley(['events'], { NATS_URL: url, PARLEY_HOME: noHome })).toEqual({
    code: 3,
    stdout: '',
    stderr: `NATS at ${url} cannot be reached: timeout.\n`,
  });
});
