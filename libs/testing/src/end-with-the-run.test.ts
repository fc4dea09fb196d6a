import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Waits for ever, and tells when it exits in order, as what it has started is ended then. */
async function startRunner() {
  const script =
    "process.on('exit', () => console.log('in order')); process.on('message', () => {}); process.send('up')";
  const child = fork('--eval', [script], {
    execArgv: ['--import', join(import.meta.dirname, 'end-with-the-run.ts')],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = child.stdout?.toArray();
  await once(child, 'message');
  return { child, output };
}

test.each([
  ['the run is gone', null],
  ['Ctrl-C reaches it', 'SIGINT'],
  ['`timeout` ends the run', 'SIGTERM'],
] as const)('a process that runs tests ends in order when %s', async (_when, signal) => {
  const { child, output } = await startRunner();
  if (signal) child.kill(signal);
  else child.disconnect();
  expect(String(await output)).toBe('in order\n');
});
