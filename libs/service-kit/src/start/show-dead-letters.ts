import type { SqlExecutor } from '@parley/event-store';
import { countDeadLetters } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';
import { inTime, metricsPatienceMs } from './in-time.ts';

/** How many events stand given up, whenever somebody asks; what was known last while the database is away. */
export function showDeadLetters(sql: SqlExecutor, registry: Registry): void {
  new Gauge({
    name: 'parley_dead_letters',
    help: 'Events that reactors gave up, until an operator has them tried again or discards them.',
    registers: [registry],
    async collect() {
      const count = await inTime(countDeadLetters(sql), metricsPatienceMs);
      if (count !== undefined) this.set(count);
    },
  });
}
