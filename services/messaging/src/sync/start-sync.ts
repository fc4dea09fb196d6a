import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@parley/process-kit';
import { BoundedWork, type TimerHandler } from '@parley/processing';
import type { Background } from '@parley/service-kit';
import { beginReading } from './reading.ts';
import { type SyncScope, syncedSenderOf, syncKinds } from './sync-timers.ts';
import type { Synchroniser } from './synchroniser.ts';

/** Readings at once in one process; the platform's own limits are far higher. */
const maxReadings = 8;
/** A process that ends waits no longer for the platform: the reading is repeated when its lease ends. */
const graceMs = 3_000;

/**
 * The timers that keep senders and templates as the chat platform has them. A due timer only starts the reading and is
 * set anew as its lease: other timers do not wait for the platform, and a reading that dies with its process is repeated.
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
      // Only whoever got the lease reads, and not before the lease stands.
      if (reading) readings.add(`${scope} ${synced.senderId}`, () => synchroniser.run(reading));
      return undefined;
    };
  return {
    timers: { [syncKinds.numbers]: read('numbers'), [syncKinds.templates]: read('templates') },
    close: () => Promise.race([readings.close(), sleep(graceMs, undefined, { ref: false })]),
  };
}
