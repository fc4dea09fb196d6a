import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolchainDir } from './checkout.mjs';

const lockFile = join(toolchainDir, 'bootstrap.lock');

/** One preparation of this checkout at a time: a second one waits, one whose owner is gone is taken over. */
export async function withLock(work) {
  mkdirSync(toolchainDir, { recursive: true });
  const release = await acquire();
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquire() {
  const mine = `${process.pid} ${startOf(process.pid)}`;
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(lockFile, mine, { flag: 'wx' });
      return () => rmSync(lockFile, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const theirs = read(lockFile);
    if (theirs !== undefined && !isAlive(theirs)) takeAway(theirs);
    else if (attempt === 5) process.stderr.write('  Waiting for another start in this folder …\n');
    await sleep(100);
  }
}

/** Removes a dead owner's lock, and puts it back when it turned out to be a fresh one by then. */
function takeAway(stale) {
  const aside = `${lockFile}.${process.pid}`;
  try {
    renameSync(lockFile, aside);
    if (read(aside) !== stale) linkSync(aside, lockFile);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** The process with that id still is the one that wrote the lock, not a later one with the same id. */
function isAlive(owner) {
  const [pid, ...start] = owner.split(' ');
  if (start.length === 0) return true;
  return startOf(pid) === start.join(' ');
}

function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
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
