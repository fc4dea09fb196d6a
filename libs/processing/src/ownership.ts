import { createBatchLoader } from '@parley/batching';
import { closeClient, sessionSilenceMs } from '@parley/event-store';
import type pg from 'pg';
import { heartbeatMs, isLocked, openClient, tryLocks, unlock } from './database.ts';
import { pause } from './outages/backoff.ts';

/** Being the one of all copies that does something. */
export interface Ownership {
  /** Aborted when the ownership is lost: stop at once. What is still under way is fenced by its checkpoint. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Decides which of all copies does what. */
export interface OwnershipKeeper {
  /** Resolves once this process alone owns `name` in this database; rejects when the signal is aborted. */
  acquire(name: string, signal: AbortSignal): Promise<Ownership>;
  /** The same without waiting: undefined when someone owns it, this process included. Rejects without a database. */
  tryAcquire(name: string): Promise<Ownership | undefined>;
  /** Whether anybody owns `name` right now, this process included. Rejects without a database. */
  isOwned(name: string): Promise<boolean>;
  /** Gives everything back. */
  close(): Promise<void>;
}

/** How soon a copy takes over what another one has left. */
const takeoverMs = 250;

interface Session {
  readonly client: pg.Client;
  readonly lost: AbortSignal;
  /** What is asked for in one moment goes in one query. */
  readonly tryLock: (name: string) => Promise<boolean>;
  /** Names that it has locked: Postgres would give it its own lock a second time. */
  readonly held: Set<string>;
}

/** A session that is set up and kept alive; one that cannot be is closed. */
async function openSession(pool: pg.Pool, onLost: () => void): Promise<Session> {
  const client = await openClient(pool, 'owner', { query_timeout: sessionSilenceMs / 2 });
  const lost = new AbortController();
  const heartbeat = setInterval(() => client.query('select 1').catch(lose), heartbeatMs);
  function lose(): void {
    if (lost.signal.aborted) return;
    clearInterval(heartbeat);
    onLost();
    lost.abort();
    void closeClient(client);
  }
  client.on('error', lose);
  client.on('end', lose);
  try {
    await client.query(`set idle_session_timeout = ${sessionSilenceMs}`);
  } catch (error) {
    lose();
    throw error;
  }
  const tryLock = createBatchLoader(async (names: readonly string[]) => {
    try {
      return await tryLocks(client, names);
    } catch (error) {
      // Nobody knows what it has locked, and would give it back: that is free again with the session.
      lose();
      throw error;
    }
  });
  return { client, lost: lost.signal, tryLock, held: new Set() };
}

/**
 * Session advisory locks on one connection for all that this process owns. The process's death ends the session and so
 * frees them; a process that hangs is silent and loses its session; one that comes back finds out by `lost`.
 */
export function createOwnershipKeeper(pool: pg.Pool): OwnershipKeeper {
  const closing = new AbortController();
  let session: Promise<Session> | undefined;

  /** The one that all that is owned hangs on; the next one when it is lost. */
  function currentSession(): Promise<Session> {
    if (session) return session;
    const opening = openSession(pool, forget);
    function forget(): void {
      if (session === opening) session = undefined;
    }
    opening.catch(forget);
    session = opening;
    return opening;
  }

  let nextTry: Promise<void> | undefined;
  /** One pause for all that wait, so that they ask in the same moment. */
  function untilNextTry(stop: AbortSignal): Promise<void> {
    nextTry ??= pause(takeoverMs, closing.signal).then(() => {
      nextTry = undefined;
    });
    const over = nextTry;
    return new Promise((resolve) => {
      const done = () => {
        stop.removeEventListener('abort', done);
        resolve();
      };
      stop.addEventListener('abort', done);
      void over.then(done);
    });
  }

  async function tryAcquire(name: string): Promise<Ownership | undefined> {
    const { client, lost, tryLock, held } = await currentSession();
    if (held.has(name)) return undefined;
    held.add(name);
    try {
      if (await tryLock(name))
        return {
          lost,
          release: async () => {
            if (lost.aborted) return;
            await unlock(client, name).catch(() => undefined);
            held.delete(name);
          },
        };
    } catch (error) {
      held.delete(name);
      throw error;
    }
    held.delete(name);
    return undefined;
  }

  return {
    tryAcquire,
    isOwned: (name) => isLocked(pool, name),
    async acquire(name, signal) {
      const stop = AbortSignal.any([signal, closing.signal]);
      for (;;) {
        stop.throwIfAborted();
        // Without a database there is nothing to own: the next attempt may find it.
        const ownership = await tryAcquire(name).catch(() => undefined);
        if (ownership && !stop.aborted) return ownership;
        await ownership?.release();
        await untilNextTry(stop);
      }
    },
    async close() {
      closing.abort();
      const current = await session?.catch(() => undefined);
      if (current) await closeClient(current.client);
    },
  };
}
