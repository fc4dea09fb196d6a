import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { readStack } from './stack-file.ts';

async function newHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'));
  onTestFinished(() => rm(home, { recursive: true }));
  return home;
}

test('no stack runs in a home that is not there, that says nothing, or whose file is none', async () => {
  const home = await newHome();
  expect(await readStack(join(home, 'nowhere'))).toBeUndefined();
  expect(await readStack(home)).toBeUndefined();
  await writeFile(join(home, 'stack.json'), '{');
  expect(await readStack(home)).toBeUndefined();
});

test('whether one runs where its file cannot be read is not known', async () => {
  const home = await newHome();
  await mkdir(join(home, 'stack.json'));
  await expect(readStack(home)).rejects.toMatchObject({
    message: expect.stringContaining(`${join(home, 'stack.json')} cannot be read: EISDIR`),
    exitCode: exitCodes.unreachable,
  });
});
