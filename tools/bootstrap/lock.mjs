import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolchainDir } from './checkout.mjs';

/** One preparation of this checkout at a time: a second one waits, one whose owner is gone is taken over. */
export async function withLock(work) {
  mkdirSync(toolchainDir, { recursive: true });
  const lockFile = join(toolchainDir, 'bootstrap.lock');
  for (let attempt = 0; !tryLock(lockFile); attempt += 1) {
    if (attempt === 5) process.stderr.write('  Waiting for another start in this folder …\n');
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

/** The lock names its owner by process id and start time; a dead owner's is taken over by one of all that try. */
function tryLock(file) {
  const owner = `${process.pid}\n${startOf(process.pid)}\n${randomUUID()}`;
  if (create(file, owner)) return true;
  const present = read(file);
  if (present === undefined || isAlive(present)) return false;
  // The right to replace a dead owner's lock is a lock too, called after what it replaces.
  const right = `${file}.after-${createHash('sha256').update(present).digest('hex').slice(0, 16)}`;
  if (!tryLock(right)) return false;
  try {
    if (read(file) !== present) return false;
    writeFileSync(`${file}.${process.pid}`, owner);
    renameSync(`${file}.${process.pid}`, file);
    return true;
  } finally {
    rmSync(right, { force: true });
  }
}

/** Linking makes the lock appear with its content: nobody ever reads half of it. */
function create(file, owner) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, owner);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isAlive(owner) {
  const [pid, start] = owner.split('\n');
  return startOf(pid) === start;
}

/** When a process was started; `undefined` when there is none with that id. */
function startOf(pid) {
  try {
    if (process.platform !== 'linux') {
      // It tells times in the language and the zone of its caller.
      const ps = ['LC_ALL=C', 'TZ=UTC', 'ps', '-o', 'lstart=', '-p', String(pid)];
      return execFileSync('env', ps, { encoding: 'utf8' }).trim();
    }
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
