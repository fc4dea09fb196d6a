import { chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { CommandFailed } from '../exit-codes.ts';
import { findHome, openHome } from './home.ts';

async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-home-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  return dir;
}

test('a home is made with the folders above it, by several at once as well', async () => {
  const path = join(await folder(), 'a', 'b', 'c');
  const found = await Promise.all([findHome(path), findHome(path)]);
  for (const { dir } of found) expect((await stat(dir)).isDirectory()).toBe(true);
});

test('a folder in which none can be made is no home, and that is said at once', async () => {
  await expect(findHome('/proc/parley/home')).rejects.toMatchObject({ syscall: 'mkdir' });
});

test('what a home is told at the same time, it remembers all of', async () => {
  const dir = await folder();
  const home = await openHome(dir);
  await Promise.all([
    home.remember({ postgres_port: 1 }),
    home.remember({ nats_port: 2 }),
    home.remember({ postgres_port: 3 }),
  ]);
  expect(home.memory).toMatchObject({ postgres_port: 3, nats_port: 2 });
  expect((await openHome(dir)).memory).toEqual(home.memory);
});

test('what a newer release keeps in a home is there when that comes back', async () => {
  const dir = await folder();
  const file = join(dir, 'home.json');
  await openHome(dir);
  const kept = { ...JSON.parse(await readFile(file, 'utf8')), newer_keys: ['k'] };
  await writeFile(file, JSON.stringify(kept));
  const home = await openHome(dir);
  await home.remember({ postgres_port: 1 });
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ ...kept, postgres_port: 1 });
});

test('secrets that cannot be read are not made anew', async () => {
  const dir = await folder();
  const file = join(dir, 'home.json');
  await symlink(file, file);
  const error = await openHome(dir).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(CommandFailed);
  expect(error).toHaveProperty('message', expect.stringMatching(`${file} cannot be read: ELOOP`));
});

test.each(['', '{"postgres_password":"hunter2', '{"secrets_keys":"hunter2"}'])(
  'secrets that are damaged (%s) are neither made anew nor shown',
  async (text) => {
    const dir = await folder();
    const file = join(dir, 'home.json');
    await writeFile(file, text);
    const error = await openHome(dir).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CommandFailed);
    expect(error).toHaveProperty('message', expect.stringMatching(`${file} is damaged`));
    expect(error).not.toHaveProperty('message', expect.stringContaining('hunter2'));
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

test('secrets that are missing where a database is are not made anew', async () => {
  const dir = await folder();
  await mkdir(join(dir, 'postgres'));
  await expect(openHome(dir)).rejects.toThrow(`home.json is missing, and ${join(dir, 'postgres')} is there`);
  await rm(join(dir, 'postgres'), { recursive: true });
  await expect(openHome(dir)).resolves.toMatchObject({ dir });
});

test.runIf(process.getuid?.() === 0)('root leaves the secrets to the owner of the home', async () => {
  const dir = await folder();
  const file = join(dir, 'home.json');
  await chown(dir, 1, 1);
  const home = await openHome(dir);
  expect(await stat(file)).toMatchObject({ uid: 1, gid: 1 });
  await chown(file, 2, 2);
  await home.remember({ nats_port: 2 });
  expect(await stat(file)).toMatchObject({ uid: 2, gid: 2 });
});
