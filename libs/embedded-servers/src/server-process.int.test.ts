import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifyProcess } from './running-processes.ts';
import { spawnServer } from './server-process.ts';

/** A process that starts a server, tells its id, and does then as it is told. */
const starter = (andThen: string) => `
  import { spawnServer } from ${JSON.stringify(join(import.meta.dirname, 'server-process.ts'))};
  const server = await spawnServer({
    command: process.execPath,
    args: ['-e', 'console.log("up"); setInterval(() => {}, 1000)'],
    url: '',
    readyLine: /up/,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    onLog: () => undefined,
  });
  console.log(server.pid);
  ${andThen}`;

test.each([
  ['ends', 'process.exit(3)'],
  ['fails', 'throw new Error("no")'],
])('a server does not outlive a process that %s without stopping it', async (_how, andThen) => {
  const args = ['--input-type=module-typescript', '-e', starter(andThen)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const [line] = await once(child.stdout, 'data');
  const pid = Number(String(line));
  expect(pid).toBeGreaterThan(0);
  await exited;
  await expect.poll(() => identifyProcess(pid)).toBeUndefined();
});

test('a server that stands still is killed where its stop has a time limit', async () => {
  const server = await spawnServer({
    command: process.execPath,
    args: ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'],
    url: '',
    readyLine: /up/,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    stopTimeoutMs: 200,
    onLog: () => undefined,
  });
  await server.stop();
  expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

const recovering = (progressLine?: RegExp) =>
  spawnServer({
    command: process.execPath,
    args: [
      '-e',
      `let said = 0;
       setInterval(() => console.log(++said > 8 ? 'up' : 'redo in progress, elapsed time: ' + said + '0.00 s'), 1_500)`,
    ],
    url: '',
    readyLine: /up/,
    ...(progressLine && { progressLine }),
    // A busy machine takes its time to start a process.
    readyTimeoutMs: 8_000,
    stopSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
    onLog: () => undefined,
  });

test('a server that says how it gets on has its time to become ready anew, and one that only talks has not', async () => {
  const talking = expect(recovering()).rejects.toThrow('did not become ready in time');
  const server = await recovering(/ elapsed time: /);
  await server.stop();
  await talking;
});
