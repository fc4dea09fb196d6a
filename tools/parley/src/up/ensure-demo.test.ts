import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readDemo, writeDemo } from '../demo-file.ts';
import { CommandFailed } from '../exit-codes.ts';
import { ensureDemo } from './ensure-demo.ts';

/** A home in which nothing runs: a demo that is not there cannot be made. */
async function homeWithoutStack() {
  const home = await mkdtemp(join(tmpdir(), 'parley-home-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const nowhere = 'http://127.0.0.1:1';
  return { home, baseUrl: nowhere, sandboxUrl: nowhere, environment: {} };
}

test('a demo that cannot be completed is used as far as it is there', async () => {
  const place = await homeWithoutStack();
  const accounts = [{ id: 1, email: 'demo@example.com', api_key: 'key' }];
  const { baseUrl: base_url, sandboxUrl: sandbox_url } = place;
  await writeDemo(place.home, { base_url, sandbox_url, accounts, parts: ['organisers'] });
  const { demo, fault } = await ensureDemo(place);
  expect(demo).toEqual(await readDemo(place.home));
  expect(fault).toBeTruthy();
});

test('a demo of which nothing can be made is a failure', async () => {
  await expect(ensureDemo(await homeWithoutStack())).rejects.toBeInstanceOf(CommandFailed);
});
