import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from './checkout.mjs';
import { runStep } from './step.mjs';

const stampFile = join(checkoutRoot, 'node_modules', '.parley-install');

/** Installs exactly what the lockfile says; does nothing when that was done before. */
export async function installPackages(env) {
  const stamp = describeManifests();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  await runStep({
    doing: 'Installing packages',
    done: 'Packages installed',
    command: 'pnpm',
    args: ['install', '--frozen-lockfile', '--config.confirmModulesPurge=false'],
    env,
  });
  writeFileSync(stampFile, stamp);
}

/** What stacks run. */
export const bundlePrograms = (env) =>
  runStep({
    doing: 'Building',
    done: 'Built',
    command: 'node',
    args: [join(checkoutRoot, 'tools', 'bootstrap', 'bundle.mjs')],
    env,
  });

/** The modules one by one, in a folder `dist` of each package: those that subscribers outside import, or all. */
export const compileModules = (env, { all }) =>
  runStep({
    doing: 'Compiling',
    done: 'Compiled',
    command: join(checkoutRoot, 'node_modules', '.bin', 'tsc'),
    // Several projects are built at once; several checkers of one work out the same types again.
    args: ['-b', all ? 'tsconfig.build.json' : 'libs/message-bus', '--checkers', '1'],
    env,
  });

/** A hash of everything that decides what gets installed. */
function describeManifests() {
  const groups = ['libs', 'services', 'tools'].flatMap((group) =>
    readdirSync(join(checkoutRoot, group)).map((name) => join(group, name)),
  );
  const manifests = ['.', 'bench', 'tests', ...groups].map((folder) => join(folder, 'package.json'));
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests].sort();
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of files) {
    const path = join(checkoutRoot, file);
    if (existsSync(path)) hash.update(`\0${file}\0`).update(readFileSync(path));
  }
  return hash.digest('hex');
}
