import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';

const main = join(import.meta.dirname, 'main.ts');

function start(env: Record<string, string>): ChildProcess {
  const child = fork(main, {
    execArgv: ['--conditions=source'],
    env: { NATS_URL: inject('natsUrl'), PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('the process says when it is ready and ends well on SIGTERM', async () => {
  const child = start({});
  expect(await once(child, 'message')).toEqual([{ type: 'ready' }, undefined]);
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the process ends with whoever started it', async () => {
  const child = start({});
  await once(child, 'message');
  child.disconnect();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

test('a wrong configuration is told with all its faults, and no process stays', async () => {
  const child = start({ PORT: 'secret-port', MAX_WAITING_REQUESTS: '0' });
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  // Then all that it said is there, too.
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(text).toMatch(/PORT: .*\n.*MAX_WAITING_REQUESTS: /);
  expect(text).not.toContain('secret-port');
});
