import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '@parley/embedded-servers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lockHome } from './home-lock.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  file = join(dir, 'up.lock');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a lock is held until it is released', async () => {
  const first = await lockHome(file);
  expect(await lockHome(file)).toEqual({ kind: 'held', pid: process.pid });
  if (first.kind === 'locked') await first.release();
  expect(existsSync(file)).toBe(false);
  expect((await lockHome(file)).kind).toBe('locked');
});

test("a dead owner's lock is taken over, also when its process id belongs to somebody else by now", async () => {
  const identity = await identifyProcess(process.pid);
  for (const owner of [
    { pid: 2 ** 22 - 1, identity },
    { pid: process.pid, identity: 'an earlier boot 1' },
  ]) {
    writeFileSync(file, JSON.stringify(owner));
    expect((await lockHome(file)).kind).toBe('locked');
    rmSync(file);
  }
});

test('of many at once exactly one gets a stale lock, and nothing else is left behind', async () => {
  writeFileSync(file, 'half wri');
  const results = await Promise.all(Array.from({ length: 8 }, () => lockHome(file)));
  expect(results.filter(({ kind }) => kind === 'locked')).toHaveLength(1);
  expect(readdirSync(dir)).toEqual(['up.lock']);
});

test('a lock that cannot be read, such as that of another user, is told instead of waited for', async () => {
  mkdirSync(file);
  await expect(lockHome(file)).rejects.toThrow('EISDIR');
});
