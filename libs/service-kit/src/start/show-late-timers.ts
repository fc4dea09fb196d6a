import type { SqlExecutor } from '@parley/event-store';
import { lateBySeconds } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';
import { inTime, metricsPatienceMs } from './in-time.ts';

/** How late timers are, whichever copy fires them; what was known last while the database is away. */
export function showLateTimers(kinds: readonly string[], sql: SqlExecutor, registry: Registry): void {
  new Gauge({
    name: 'parley_timers_late_seconds',
    help: 'For how long the timer has been due that has been so the longest; 0 when none is. The same of every copy.',
    registers: [registry],
    async collect() {
      const late = await inTime(lateBySeconds(sql, kinds), metricsPatienceMs);
      if (late !== undefined) this.set(late);
    },
  });
}
