import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * The `nats-server` to run: the one on the search path, else Debian's package unpacked into `toolDir` (needs neither
 * root nor an installation; safe when several do it at once). Throws with what to do when none can be had.
 */
export async function findNatsServer(toolDir: string, searchPath: string): Promise<string> {
  const unpacked = join(toolDir, 'usr', 'sbin', 'nats-server');
  const candidates = [...searchPath.split(delimiter).map((dir) => join(dir, 'nats-server')), unpacked];
  for (const candidate of candidates) if (await isExecutable(candidate)) return candidate;
  try {
    await unpackDebianPackage(toolDir, unpacked);
    return unpacked;
  } catch (cause) {
    throw new Error(
      'nats-server was not found. Install it (brew install nats-server, apt install nats-server, or ' +
        'https://nats.io/download), or point NATS_URL at a running one with JetStream.\n' +
        `Unpacking Debian's package failed: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
}

/** `apt-get` with its state in a directory of its own, so that any user may refresh the lists and download. */
async function unpackDebianPackage(toolDir: string, unpacked: string): Promise<void> {
  await mkdir(join(toolDir, '..'), { recursive: true });
  const work = await mkdtemp(`${toolDir}-`);
  try {
    const state = join(work, 'state');
    const cache = join(work, 'cache');
    await mkdir(join(state, 'lists', 'partial'), { recursive: true });
    await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
    const options = [
      ...['-o', `Dir::State=${state}`],
      ...['-o', 'Dir::State::status=/var/lib/dpkg/status'],
      ...['-o', `Dir::Cache=${cache}`],
      ...['-o', 'APT::Sandbox::User='],
    ];
    await run('apt-get', ['-qq', ...options, 'update']);
    await run('apt-get', [...options, 'download', 'nats-server'], { cwd: work });
    const archive = (await readdir(work)).find((file) => file.endsWith('.deb'));
    if (!archive) throw new Error('apt-get downloaded nothing.');
    await run('dpkg-deb', ['-x', join(work, archive), join(work, 'root')]);
    await rename(join(work, 'root'), toolDir).catch(async (error) => {
      if (!(await isExecutable(unpacked))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
