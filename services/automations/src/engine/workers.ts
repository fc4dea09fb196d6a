import type { OwnershipKeeper } from '@parley/processing';
import { v7 as uuidv7 } from 'uuid';

/** The processes that carry out runs, each known by a worker id. */
export interface Workers {
  /** The worker id of this process. */
  readonly self: string;
  /** Whether that process is alive; may be false for a moment after its database connection broke. */
  isAlive(worker: string): Promise<boolean>;
}

const lockName = (worker: string): string => `automations-worker:${worker}`;

/** The workers, and the registration of this process among them. */
export interface RegisteredWorker extends Workers {
  /** Resolves once other processes see this one as alive; rejects when it is closed before. */
  readonly registered: Promise<void>;
}

/**
 * Makes this process a worker. It counts as alive while it holds a session lock named after it, which dies with the
 * process (ADR 10); where the connection was lost, it takes the lock again.
 */
export function registerWorker(ownership: OwnershipKeeper, closing: AbortSignal): RegisteredWorker {
  const self = uuidv7();
  const first = ownership.acquire(lockName(self), closing);
  first.then(({ lost }) => hold(lost)).catch(() => undefined);

  async function hold(lost: AbortSignal): Promise<void> {
    await aborted(AbortSignal.any([lost, closing]));
    if (closing.aborted) return;
    const again = await ownership.acquire(lockName(self), closing);
    return hold(again.lost);
  }

  /** Look-ups under way, by worker: many runs of a few workers are looked at together, and share them. */
  const looks = new Map<string, Promise<boolean>>();
  function look(worker: string): Promise<boolean> {
    const started = ownership.isOwned(lockName(worker)).finally(() => looks.delete(worker));
    looks.set(worker, started);
    return started;
  }

  return {
    self,
    registered: first.then(() => undefined),
    isAlive: (worker) => looks.get(worker) ?? look(worker),
  };
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
