import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@parley/process-kit';
import { BoundedWork, type TimerHandler } from '@parley/processing';
import type { Background } from '@parley/service-kit';
import { beginReading } from './reading.ts';
import { type SyncScope, syncedSenderOf, syncKinds } from './sync-timers.ts';
import type { Synchroniser } from './synchroniser.ts';

/** Readings at once in one process, far below the platform's own limits. */
const maxReadings = 8;
/** Milliseconds that a closing process waits for its readings; others repeat them when their leases end. */
const graceMs = 3_000;

/**
 * Timer handlers that keep senders and templates as the chat platform has them. A due timer only starts the reading,
 * and is set anew as its lease: so no other timer waits for the platform, and a reading that dies with its process is
 * repeated.
 */
export function startSync(
  synchroniser: Synchroniser,
  logger: Logger,
): Required<Pick<Background, 'timers' | 'close'>> {
  const readings = new BoundedWork(maxReadings, (error, reading) =>
    logger.error({ err: error, reading }, 'a reading of the chat platform failed'),
  );
  const read =
    (scope: SyncScope): TimerHandler =>
    async ({ id, dueAt, payload }, { store, metadata }) => {
      const synced = syncedSenderOf(payload);
      const reading = await beginReading(store, { scope, synced, metadata }, { fired: { id, dueAt } });
      // Only the process that got the lease reads, once the lease is on record.
      if (reading) readings.add(`${scope} ${synced.senderId}`, () => synchroniser.run(reading));
      return undefined;
    };
  return {
    timers: { [syncKinds.numbers]: read('numbers'), [syncKinds.templates]: read('templates') },
    close: () => Promise.race([readings.close(), sleep(graceMs, undefined, { ref: false })]),
  };
}
