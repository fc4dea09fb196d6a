import type { OwnershipKeeper } from '@parley/processing';
import { v7 as uuidv7 } from 'uuid';

/** Who works, and who is still alive. */
export interface Workers {
  /** This process. */
  readonly self: string;
  /** Whether another process is there; it may be told dead a moment after its database connection broke. */
  isAlive(worker: string): Promise<boolean>;
}

const lockName = (worker: string): string => `automations-worker:${worker}`;

export interface RegisteredWorker extends Workers {
  /** Resolves once the others can see this one; rejects when it is closed before. */
  readonly registered: Promise<void>;
}

/**
 * A worker lives as long as it holds a lock of its own: a session's lock, which dies with the process (ADR 10). One
 * whose connection was lost takes it back.
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

  /** Many runs are looked at together, and few workers stand behind them. */
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
