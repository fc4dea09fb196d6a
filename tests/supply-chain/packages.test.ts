import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { reportFigure } from '../support/figures.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '..', '..');

/** Everything but benchmarks and tests. */
const delivered = ['./libs/*', './services/*', './tools/*', '!@parley/testing'].flatMap((packages) => [
  '--filter',
  packages,
]);

/** Licences that ask for no more than to be named. */
const allowedLicences = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

const licences = z.record(z.string(), z.array(z.object({ name: z.string() })));

test('what is delivered is under licences that ask for no more than to be named', async () => {
  const { stdout } = await run('pnpm', ['-r', ...delivered, 'licenses', 'list', '--prod', '--json'], {
    cwd: checkout,
    maxBuffer: 64 * 2 ** 20,
  });
  const found = Object.entries(licences.parse(JSON.parse(stdout)));
  const isAllowed = (licence: string) =>
    licence
      .replace(/^\((.*)\)$/, '$1')
      .split(' OR ')
      .some((one) => one.split(' AND ').every((part) => allowedLicences.has(part)));
  const others = found.filter(([licence]) => !isAllowed(licence));
  const count = found.reduce((sum, [, packages]) => sum + packages.length, 0);
  reportFigure(
    'S8',
    `${count} delivered packages under ${found.length} licences, ${others.length} not allowed`,
  );
  expect(count).toBeGreaterThan(100);
  expect(others.map(([licence, packages]) => [licence, packages.map(({ name }) => name)])).toEqual([]);
});

const manifest = z.object({ name: z.string(), scripts: z.record(z.string(), z.string()).default({}) });

/** Manifests of everything that is installed. */
async function installedManifests(): Promise<z.output<typeof manifest>[]> {
  const store = join(checkout, 'node_modules', '.pnpm');
  const manifests: z.output<typeof manifest>[] = [];
  for (const entry of await readdir(store)) {
    const modules = join(store, entry, 'node_modules');
    // `@scope+name@version` holds `@scope/name`, and links to what it needs.
    const name = /^((?:@[^+]+\+)?[^@]+)@/.exec(entry)?.[1]?.replace('+', '/');
    if (name === undefined) continue;
    const text = await readFile(join(modules, name, 'package.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) manifests.push(manifest.parse(JSON.parse(text)));
  }
  return manifests;
}

test('every package that would run something when it is installed is named, allowed or not', async () => {
  const workspace = await readFile(join(checkout, 'pnpm-workspace.yaml'), 'utf8');
  const named = new Set(
    [...(workspace.split('allowBuilds:')[1] ?? '').matchAll(/^ {2}"?([^":]+)"?: (?:true|false)$/gm)].map(
      ([, name]) => name,
    ),
  );
  const found = await installedManifests();
  const withScripts = found.filter(({ scripts }) =>
    ['preinstall', 'install', 'postinstall'].some((script) => scripts[script] !== undefined),
  );
  expect(found.length).toBeGreaterThan(300);
  expect(withScripts.length).toBeGreaterThan(0);
  expect(withScripts.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

test('no service holds more than 5 MB of program, which stays in memory as long as it runs', async () => {
  const services = join(checkout, 'services');
  const sizes = await Promise.all(
    (await readdir(services)).map(async (service) => {
      if (!existsSync(join(services, service, 'package.json'))) return { service, bytes: 0 };
      const files = await readdir(join(services, service, 'bundle'));
      const programs = files.filter((file) => file.endsWith('.js'));
      const read = programs.map((file) => readFile(join(services, service, 'bundle', file)));
      return { service, bytes: (await Promise.all(read)).reduce((sum, { length }) => sum + length, 0) };
    }),
  );
  expect(sizes.length).toBeGreaterThan(5);
  expect(sizes.filter(({ bytes }) => bytes > 5_000_000)).toEqual([]);
});

/** A checkout that has nothing but what prepares it. */
async function preparedCopy(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'parley-checkout-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  await cp(join(checkout, 'tools', 'bootstrap'), join(copy, 'tools', 'bootstrap'), { recursive: true });
  return copy;
}

test('a package that is not in the lockfile is not installed', async () => {
  const copy = await preparedCopy();
  for (const folder of ['libs', 'services', 'node_modules']) await mkdir(join(copy, folder));
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    await cp(join(checkout, file), join(copy, file));
  const { devDependencies, ...packageJson } = JSON.parse(
    await readFile(join(checkout, 'package.json'), 'utf8'),
  );
  const changed = { ...packageJson, devDependencies: { ...devDependencies, undici: 'catalog:' } };
  await writeFile(join(copy, 'package.json'), JSON.stringify(changed));
  const installing = `
    import { installPackages } from ${JSON.stringify(join(copy, 'tools', 'bootstrap', 'workspace.mjs'))};
    await installPackages({ ...process.env, CI: 'false' });`;
  await expect(run(process.execPath, ['--input-type=module', '--eval', installing])).rejects.toThrow(
    /ERR_PNPM_OUTDATED_LOCKFILE[\s\S]*undici/,
  );
});

test('what is no service may lie beside them: a file of a file manager, a folder that another branch left', async () => {
  const copy = await preparedCopy();
  await symlink(join(checkout, 'node_modules'), join(copy, 'node_modules'));
  await mkdir(join(copy, 'services', 'gone', 'node_modules'), { recursive: true });
  await writeFile(join(copy, 'services', '.DS_Store'), '');
  await run(process.execPath, [join(copy, 'tools', 'bootstrap', 'bundle.mjs')]);
  expect(await readdir(join(copy, 'services', 'gone'))).toEqual(['node_modules']);
});
