import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';

const execute = promisify(execFile);
const limitBytes = 64 * 1024;

/** What a command says and ends with whose output goes to a file that takes no more than `limitBytes`. */
async function runWhereDiskIsFull(action: string) {
  const dir = await mkdtemp(join(tmpdir(), 'parley-output-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const code = `
    import { Command } from 'commander';
    import { run } from './run.ts';
    const program = new Command('parley').exitOverride().action(async () => { ${action} });
    process.exitCode = await run(program, ['node', 'parley']);`;
  const node = [process.execPath, '--conditions=source', '--input-type=module', '--eval', code];
  const shell = `ulimit -f ${limitBytes / 1024}; exec "$@" > ${dir}/output`;
  const ended = await execute('bash', ['-c', shell, 'bash', ...node], { cwd: import.meta.dirname }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code: status, stderr }: { code: number; stderr: string }) => ({ code: status, stderr }),
  );
  return { ...ended, written: (await stat(join(dir, 'output'))).size };
}

const tooMuch = `for (let line = 0; line < 100; line += 1) process.stdout.write('x'.repeat(999) + '\\n');`;

test('a command whose output the disk does not take has failed, and says so', async () => {
  expect(await runWhereDiskIsFull(tooMuch)).toEqual({
    code: exitCodes.negative,
    stderr: expect.stringMatching(/^The output could not be written: EFBIG/),
    written: limitBytes,
  });
});

test('a command of whose last words the disk takes a part only has failed', async () => {
  const action = `
    const { writeWhole } = await import('./output/whole-writes.ts');
    writeWhole(process.stdout);
    process.stdout.write('x'.repeat(${limitBytes + 1}));`;
  expect(await runWhereDiskIsFull(action)).toMatchObject({ code: exitCodes.negative, written: limitBytes });
});

test('a command that goes on until it is stopped does so where the disk does not take what it says', async () => {
  const goOn = `
    process.once('SIGTERM', () => process.exit(9));
    ${tooMuch}
    await new Promise((resolve) => setImmediate(resolve));
    process.stderr.write('still here');`;
  expect(await runWhereDiskIsFull(goOn)).toEqual({ code: 0, stderr: 'still here', written: limitBytes });
});
