import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';

/** Bytes: what the data of a run takes at most; and what its processes do, beside it. */
const room = 4 * 2 ** 30;
const others = 6 * 2 ** 30;

/**
 * Runs `work` with a folder in memory for what the tests' servers keep, which is removed afterwards, or with none where
 * memory is short: on many disks most of the time of such tests is the making of databases.
 */
export async function withDataInMemory(work) {
  removeLeftovers();
  const folder = hasRoom() ? mkdtempSync(join(memoryFolder, `parley-tests-${process.pid}-`)) : undefined;
  if (folder) chmodSync(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

/** Folders of runs that were killed: they would fill the memory. */
function removeLeftovers() {
  const names = existsSync(memoryFolder) ? readdirSync(memoryFolder) : [];
  for (const name of names) {
    const [, pid] = /^parley-tests-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(memoryFolder, name), { recursive: true, force: true });
    } catch {
      // Another user's.
    }
  }
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= room && (process.availableMemory?.() ?? freemem()) >= room + others;
  } catch {
    return false;
  }
}
