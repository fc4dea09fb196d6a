import {
  accessSync,
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { toolchainDir } from './checkout.mjs';
import { runStep } from './step.mjs';

const nodeVersion = '24.22.3';
const pnpmVersion = '12.21.0';

const modulesDir = join(toolchainDir, 'node_modules');
const stampFile = join(toolchainDir, 'versions.json');

/** The environment in which `node` and `pnpm` are the pinned ones; gets them through npm when they are not there yet. */
export async function prepareToolchain() {
  const isNodeNew = Number(process.versions.node.split('.')[0]) >= Number(nodeVersion.split('.')[0]);
  const packages = isNodeNew
    ? [`pnpm@${pnpmVersion}`]
    : [`${nodePackage()}@${nodeVersion}`, `pnpm@${pnpmVersion}`];
  const env = usableEnvironment();
  const installed = readStamp();
  if (!packages.every((name) => installed.includes(name))) await install(packages, env);
  const runningNode = isNodeNew ? [dirname(process.execPath)] : [];
  return { ...env, PATH: [join(modulesDir, '.bin'), ...runningNode, env.PATH].join(delimiter) };
}

/** npm's packages that carry the Node binary itself: they need no install script and no download of their own. */
function nodePackage() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${platform}-${process.arch}`;
}

async function install(packages, env) {
  removeLeftovers();
  const fresh = mkdtempSync(join(toolchainDir, 'fresh-'));
  try {
    await runStep({
      doing: `Getting ${packages.join(' and ')}`,
      done: `Got ${packages.join(' and ')}`,
      command: 'npm',
      args: [
        'install',
        ...['--prefix', fresh],
        ...['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'],
        ...packages,
      ],
      env,
    });
    const replaced = join(fresh, 'replaced');
    rmSync(stampFile, { force: true });
    try {
      renameSync(modulesDir, replaced);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
    renameSync(join(fresh, 'node_modules'), modulesDir);
    writeFileSync(stampFile, JSON.stringify(packages));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** npm and pnpm keep caches in the home folder; a user without a writable one gets one in the toolchain. */
function usableEnvironment() {
  try {
    accessSync(homedir(), constants.W_OK);
    return process.env;
  } catch {
    return { ...process.env, HOME: join(toolchainDir, 'home') };
  }
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return [];
  }
}

/** What an installation that was killed left behind. */
function removeLeftovers() {
  for (const name of readdirSync(toolchainDir)) {
    if (name.startsWith('fresh-')) rmSync(join(toolchainDir, name), { recursive: true, force: true });
  }
}
