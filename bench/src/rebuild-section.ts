import type { RebuildBenchRow } from './rebuild/rebuild-bench.ts';
import { atLeast, type Section } from './report/section.ts';

export const rebuildSection = (rows: readonly RebuildBenchRow[]): Section => ({
  title: 'Rebuilding a view',
  notes: [
    'The view of folders made anew by one running service, row-identical to what was there, while `GET /api/user/folders` is asked one request after the other through the gateway; none failed. Peak RSS is the service’s.',
  ],
  tables: [
    {
      columns: ['events', 'events/s', 'peak RSS MiB', 'requests meanwhile', 'slowest ms'].map((name) => ({
        name,
      })),
      rows: rows.map(({ events, eventsPerSecond, peakRssMib, requests, slowestMs }) => [
        ...[events, Math.round(eventsPerSecond), Math.round(peakRssMib), requests, Math.round(slowestMs)],
      ]),
    },
  ],
  charts: [
    {
      name: 'events',
      title: 'Rebuilding a view of a running service',
      unit: 'events/s',
      bars: rows.map(({ events, eventsPerSecond }) => ({
        ...{ facet: '', group: `${events} events`, series: 'folders' },
        value: Math.round(eventsPerSecond),
      })),
    },
  ],
  goals: rows.map(({ events, eventsPerSecond }) =>
    atLeast(`rebuild of ${events} events`, Math.round(eventsPerSecond), 20_000, 'events/s'),
  ),
});
