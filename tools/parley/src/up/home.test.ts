import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHome } from './home.ts';

test('what a home is told at the same time, it remembers all of', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-home-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const home = await openHome(dir);
  await Promise.all([
    home.remember({ postgres_port: 1 }),
    home.remember({ nats_port: 2 }),
    home.remember({ postgres_port: 3 }),
  ]);
  expect(home.memory).toMatchObject({ postgres_port: 3, nats_port: 2 });
  expect((await openHome(dir)).memory).toEqual(home.memory);
});
