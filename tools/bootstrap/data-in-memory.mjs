import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
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
  const folder = hasRoom() ? mkdtempSync(join(memoryFolder, 'parley-tests-')) : undefined;
  if (folder) chmodSync(folder, 0o755);
  try {
    return await work(folder);
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
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
