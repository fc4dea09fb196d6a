import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

/** A process of its own that does `start` once it is loaded, and prints what happens to it. */
function runChild(start: string, load = ''): { child: ChildProcess; output: () => string } {
  const module = new URL('./run-process.ts', import.meta.url).href;
  const say = (what: string) => `(details, text) => console.log('${what}', text, details.err?.message)`;
  const code = `
    import { runProcess } from ${JSON.stringify(module)};
    const logger = { info: ${say('info')}, error: ${say('error')}, fatal: ${say('fatal')} };
    const alive = setInterval(() => undefined, 1000);
    const close = async () => { console.log('closed'); clearInterval(alive); };
    ${load}
    await runProcess({ logger, start: async (onProgress) => { ${start} } });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  return { child, output: () => Buffer.concat(chunks).toString() };
}

const ended = async (child: ChildProcess) => (await once(child, 'exit'))[0];

test('a process tells its parent when it is ready, and drains on SIGTERM', async () => {
  const { child, output } = runChild('return { close };');
  expect(await once(child, 'message')).toEqual([{ type: 'ready' }, undefined]);
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
  await expect.poll(output).toContain('closed');
});

test('a process never outlives its parent', async () => {
  const { child, output } = runChild('return { close };');
  await once(child, 'message');
  child.disconnect();
  expect(await ended(child)).toBe(0);
  await expect.poll(output).toContain('closed');
});

test.each([
  ['is told to stop', (child: ChildProcess) => child.kill('SIGTERM')],
  ['loses its parent', (child: ChildProcess) => child.disconnect()],
])('a process that %s while it waits for what it needs to start ends in order', async (_what, end) => {
  const { child, output } = runChild(
    `await new Promise(setImmediate); process.send('waiting'); await new Promise(() => undefined);`,
  );
  await once(child, 'message');
  end(child);
  expect(await ended(child)).toBe(0);
  expect(output()).not.toContain('not ended in order');
});

test('a process that loses its parent while it is loaded ends in order, whatever it would wait for', async () => {
  const { child, output } = runChild(
    'await new Promise(() => undefined);',
    "await new Promise((loaded) => process.once('disconnect', loaded));",
  );
  child.disconnect();
  expect(await ended(child)).toBe(0);
  await expect.poll(output).toContain('stopping');
});

test('Ctrl-C is left to the parent', async () => {
  const { child } = runChild('return { close };');
  await once(child, 'message');
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await ended(child)).toBe(0);
});

test('a process that cannot start says why and ends with status 1', async () => {
  const { child, output } = runChild(`throw new Error('no database');`);
  expect(await ended(child)).toBe(1);
  await expect.poll(output).toContain('no database');
});

test('an error nobody caught is logged, drains the process and ends it with status 1', async () => {
  const { child, output } = runChild(
    `setTimeout(() => { throw new Error('a bug'); }, 20); return { close };`,
  );
  expect(await ended(child)).toBe(1);
  await expect.poll(output).toMatch(/a bug\n(.*\n)*closed/);
});

test('a process tells its parent that it gets on with a start that takes long', async () => {
  const { child } = runChild('onProgress(); onProgress(); return { close };');
  const told: unknown[] = [];
  child.on('message', (message) => told.push(message));
  await expect.poll(() => told).toEqual([{ type: 'starting' }, { type: 'starting' }, { type: 'ready' }]);
});
