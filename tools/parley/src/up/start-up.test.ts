import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** What is printed of a step that fails, in a process of its own: the list writes to its output. */
async function failing(stop: string, before = ''): Promise<string> {
  const module = new URL('./start-up.ts', import.meta.url).href;
  const code = `
    ${before}
    import { runStartUp } from ${JSON.stringify(module)};
    const step = { title: 'gateway', run: async () => { throw new Error('no port'); } };
    await runStartUp([[step]], ${stop}).catch(({ message }) => console.log(message));`;
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', code]);
  return stdout + stderr;
}

test('a step that fails points at what is told at the end', async () =>
  expect(await failing('new AbortController().signal')).toMatch(/no port\n(.*\n)*.*gateway.*see below/));

test('a step that a stop has ended points at nothing', async () =>
  expect(await failing('AbortSignal.abort()')).toMatch(/gateway.*stopped/));

test('a terminal that does not tell its width gets a line a step, as a file does', async () => {
  const terminal = 'Object.assign(process.stdout, { isTTY: true, columns: 0 });';
  const lines = (await failing('new AbortController().signal', terminal)).split('\n');
  expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/gateway.*see below/)]));
});
