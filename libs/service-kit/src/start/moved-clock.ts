import { getClockOffset, type SqlExecutor } from '@parley/event-store';
import type { ServiceConfig } from '../config.ts';

/** A sandbox has moved the clock of the database, which goes on without one. */
class ClockIsMoved extends Error {
  override readonly name = 'ClockIsMoved';

  constructor(seconds: number) {
    super(
      `The clock of this database is ${seconds} seconds ahead, by which a sandbox has moved it: windows, limits and timers would go by it, in all services alike. Without a sandbox begin with databases of their own (DATABASE_PREFIX). To go on with these, whose events are from that time, set es.clock.seconds_ahead to 0 in each of them.`,
    );
  }
}

/** Rejects where people would be called, and renewals paid, by a time that a sandbox has made up. */
export async function refuseMovedClock({ SANDBOX }: ServiceConfig, sql: SqlExecutor): Promise<void> {
  const seconds = SANDBOX ? 0 : await getClockOffset(sql);
  if (seconds !== 0) throw new ClockIsMoved(seconds);
}
