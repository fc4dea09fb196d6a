import type pg from 'pg';
import { pause } from './backoff.ts';
import { closeClient, isLocked, openClient, tryLock, unlock } from './database.ts';

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
/** A stopped or cut-off process loses its ownerships after this, because Postgres ends its silent session. */
const silenceMs = 15_000;
const heartbeatMs = silenceMs / 3;

interface Session {
  readonly client: pg.Client;
  readonly lost: AbortController;
}

/**
 * Session advisory locks on one connection for all that this process owns. The process's death ends the session and so
 * frees them; a process that hangs is silent and loses its session; one that comes back finds out by `lost`.
 */
export function createOwnershipKeeper(pool: pg.Pool): OwnershipKeeper {
  const closing = new AbortController();
  // Postgres would give a session its own lock a second time.
  const held = new Set<string>();
  let session: Promise<Session> | undefined;

  async function open(): Promise<Session> {
    const client = await openClient(pool, 'owner', { query_timeout: silenceMs / 2 });
    const lost = new AbortController();
    const heartbeat = setInterval(() => client.query('select 1').catch(lose), heartbeatMs);
    function lose(): void {
      if (lost.signal.aborted) return;
      clearInterval(heartbeat);
      session = undefined;
      held.clear();
      lost.abort();
      void closeClient(client);
    }
    client.on('error', lose);
    client.on('end', lose);
    await client.query(`set idle_session_timeout = ${silenceMs}`);
    return { client, lost };
  }

  async function tryAcquire(name: string): Promise<Ownership | undefined> {
    session ??= open().catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    const { client, lost } = await session;
    if (held.has(name)) return undefined;
    held.add(name);
    try {
      if (await tryLock(client, name))
        return {
          lost: lost.signal,
          release: async () => {
            if (lost.signal.aborted) return;
            await unlock(client, name).catch(() => undefined);
            held.delete(name);
          },
        };
    } catch (error) {
      if (!lost.signal.aborted) held.delete(name);
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
        await pause(takeoverMs, stop);
      }
    },
    async close() {
      closing.abort();
      const current = await session?.catch(() => undefined);
      if (current) await closeClient(current.client);
    },
  };
}
