import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identifyProcess } from '@parley/embedded-servers';
import { z } from 'zod';

const ownerSchema = z.object({ pid: z.int(), identity: z.string() });

export type LockResult =
  | { readonly kind: 'locked'; readonly release: () => Promise<void> }
  | { readonly kind: 'held'; readonly pid: number };

/**
 * One supervisor for a home. The lock names its owner by process id and start time, so that a process that got the id
 * of a dead owner is not taken for it; a dead owner's lock is taken over.
 */
export async function lockHome(file: string): Promise<LockResult> {
  const identity = await identifyProcess(process.pid);
  const mine = `${file}.${process.pid}`;
  await writeFile(mine, JSON.stringify({ pid: process.pid, identity }), { mode: 0o600 });
  try {
    return await takeOver(file, mine);
  } finally {
    await rm(mine, { force: true });
  }
}

/** Linking makes the lock appear with its content: nobody ever reads half of it. */
async function takeOver(file: string, mine: string): Promise<LockResult> {
  for (;;) {
    try {
      await link(mine, file);
      return { kind: 'locked', release: () => rm(file, { force: true }) };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const theirs = await readFile(file, 'utf8').catch(() => undefined);
    if (theirs === undefined) continue;
    const owner = parseOwner(theirs);
    if (owner && (await identifyProcess(owner.pid)) === owner.identity)
      return { kind: 'held', pid: owner.pid };
    await takeAway(file, theirs);
  }
}

/** Removes a dead owner's lock, and puts it back when it turned out to be a fresh one by then. */
async function takeAway(file: string, stale: string): Promise<void> {
  const aside = `${file}.${process.pid}.stale`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== stale) await link(aside, file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
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

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
