import { type EventStore, forLookUps } from '@parley/event-store';
import { type Reactor, readReactorLag } from '@parley/processing';
import type pg from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { lagSeconds } from '../operator/lag-seconds.ts';
import { inTime, metricsPatienceMs } from './in-time.ts';

interface Parts {
  readonly pool: pg.Pool;
  readonly reactors: readonly Reactor[];
  readonly registry: Registry;
  readonly store: EventStore;
}

/** How far reactors are, by what is on record; what was known last while that cannot be read. */
export function showReactorLags({ pool, reactors, registry, store }: Parts): void {
  const sql = forLookUps(pool);
  const read = async (reactor: Reactor) => {
    const { error, head, next, position } = await readReactorLag(reactor, sql, store);
    return (
      error === null && {
        reactor: reactor.name,
        events: head - position,
        seconds: lagSeconds(next, await store.now()),
      }
    );
  };
  const readAll = () => Promise.all(reactors.map((reactor) => inTime(read(reactor), metricsPatienceMs)));
  // Both are read at the same moment, by one look.
  let looking: ReturnType<typeof readAll> | undefined;
  const look = () => {
    looking ??= readAll().finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const show = (unit: 'events' | 'seconds', help: string) =>
    new Gauge({
      name: `parley_reactor_lag_${unit}`,
      help,
      labelNames: ['reactor'] as const,
      registers: [registry],
      async collect() {
        for (const lag of await look()) if (lag) this.set({ reactor: lag.reactor }, lag[unit]);
      },
    });
  show(
    'events',
    'By how many events a reactor is behind in the log that it follows, those included that are not for it. The same of every copy.',
  );
  show(
    'seconds',
    'How long ago the first event was recorded that a reactor has not done; 0 when there is none. The same of every copy.',
  );
}
