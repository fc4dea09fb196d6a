import { createHash, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess } from '@parley/embedded-servers';
import { z } from 'zod';

const ownerSchema = z.object({ pid: z.int(), identity: z.string() });

export type LockResult =
  | { readonly kind: 'locked'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly pid: number };

/**
 * One supervisor for a home. The lock names its owner by process id and start time, so that a process that got the id
 * of a dead owner is not taken for it; a dead owner's lock is taken over, by one of all that try at once.
 */
export async function lockHome(file: string): Promise<LockResult> {
  const id = randomUUID();
  const identity = await identifyProcess(process.pid);
  const owner = JSON.stringify({ pid: process.pid, identity, id });
  for (;;) {
    if (await create(file, owner, id)) return locked(file);
    const present = await readFile(file, 'utf8').catch(unlessGone);
    if (present === undefined) continue;
    const holder = parseOwner(present);
    if (holder && (await identifyProcess(holder.pid)) === holder.identity)
      return { kind: 'held', pid: holder.pid };
    if (await replace(file, present, owner, id)) return locked(file);
    await sleep(5);
  }
}

const locked = (file: string): LockResult => ({
  kind: 'locked',
  release: () => rm(file, { force: true }),
});

/** Linking makes the lock appear with its content: nobody ever reads half of it. */
async function create(file: string, owner: string, id: string): Promise<boolean> {
  const draft = `${file}.${id}`;
  try {
    await writeFile(draft, owner, { mode: 0o600 });
    await link(draft, file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** What was released meanwhile can be taken; a lock that is there and cannot be read would be tried for ever. */
function unlessGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** The right to replace a dead owner's lock is a lock too, called after what it replaces: one at a time has it. */
async function replace(file: string, stale: string, owner: string, id: string): Promise<boolean> {
  const right = await lockHome(
    `${file}.after-${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`,
  );
  if (right.kind === 'held') return false;
  try {
    if ((await readFile(file, 'utf8').catch(() => undefined)) !== stale) return false;
    const draft = `${file}.${id}`;
    await writeFile(draft, owner, { mode: 0o600 });
    await rename(draft, file);
    return true;
  } finally {
    await right.release();
  }
}

/** `undefined` for what no supervisor wrote. */
function parseOwner(text: string) {
  try {
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
