import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How to run a Postgres program: what stands before its command line, and as whom. */
export interface PostgresLauncher {
  readonly prefix: readonly string[];
  readonly runAs?: { readonly uid: number; readonly gid: number };
  /** Who must own the data directory; absent: whoever runs this. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/**
 * Postgres refuses to run as root: there it runs as the user `postgres`, made when missing. When that user may not enter
 * a folder above `paths` (a checkout under a private /root), Postgres gets the one capability that lets it.
 */
export async function findPostgresLauncher(paths: readonly string[]): Promise<PostgresLauncher> {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const owner = await unprivilegedUser();
  const closed = await findClosedFolder(paths, owner);
  if (closed === undefined) return { prefix: [], runAs: owner, owner };
  const prefix = ['setpriv', ...passThroughClosedFolders(owner)];
  const [command = '', ...args] = [...prefix, 'true'];
  try {
    await run(command, args);
  } catch (cause) {
    throw new Error(
      `Postgres cannot run as root, and the user postgres may not enter ${closed}. Run Parley as an ordinary user, or ` +
        'put its checkout and PARLEY_HOME where everybody may enter (for example below /srv), or set DATABASE_URL.',
      { cause },
    );
  }
  return { prefix, owner };
}

async function unprivilegedUser(): Promise<{ uid: number; gid: number }> {
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  try {
    return { uid: await idOf('-u'), gid: await idOf('-g') };
  } catch {
    await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    return { uid: await idOf('-u'), gid: await idOf('-g') };
  }
}

/** The first folder above one of `paths` that the user may not pass through. */
async function findClosedFolder(
  paths: readonly string[],
  user: { uid: number; gid: number },
): Promise<string | undefined> {
  for (const path of paths) {
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      const { mode, uid, gid } = await stat(folder);
      const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
      if ((mode & bit) === 0) return folder;
      if (folder === dirname(folder)) break;
    }
  }
  return undefined;
}

/** `dac_read_search` and nothing else; `no_setuid_fixup` because access(2) would ignore it otherwise. */
const passThroughClosedFolders = ({ uid, gid }: { uid: number; gid: number }) => [
  '--securebits=+no_setuid_fixup',
  `--reuid=${uid}`,
  `--regid=${gid}`,
  '--clear-groups',
  '--inh-caps=-all,+dac_read_search',
  '--ambient-caps=+dac_read_search',
  '--bounding-set=-all,+dac_read_search',
];
