import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlExecutor } from '@parley/event-store';
import { countDeadLetters } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';

/** Whoever reads metrics waits ten seconds, and most of all wants them while the database says nothing. */
const patienceMs = 1_000;

/** How many events stand given up, whenever somebody asks; what was known last while the database is away. */
export function showDeadLetters(sql: SqlExecutor, registry: Registry): void {
  new Gauge({
    name: 'parley_dead_letters',
    help: 'Events that reactors gave up, until an operator has them tried again or discards them.',
    registers: [registry],
    async collect() {
      const unknown = sleep(patienceMs, undefined, { ref: false });
      const count = await Promise.race([countDeadLetters(sql).catch(() => undefined), unknown]);
      if (count !== undefined) this.set(count);
    },
  });
}
