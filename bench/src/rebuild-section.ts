import type { RebuildBenchRow } from './rebuild/rebuild-bench.ts';
import { atLeast, type Section } from './report/section.ts';

export const rebuildSection = (rows: readonly RebuildBenchRow[]): Section => ({
  title: 'Rebuilding every view',
  notes: [
    'Views made anew from the log, row-identical to what was there. Where requests are given, a running service rebuilds while `GET /api/user/folders` is asked one request after the other through the gateway, and none failed; elsewhere a process that does nothing else rebuilds from a log of that view’s events. Peak RSS is that process’s.',
  ],
  tables: [
    {
      columns: [
        ...['service', 'view', 'events', 'events/s', 'peak RSS MiB', 'requests meanwhile', 'slowest ms'],
      ].map((name) => ({ name })),
      rows: rows.map(({ service, view, events, eventsPerSecond, peakRssMib, requests, slowestMs }) => [
        ...[service, view, events, Math.round(eventsPerSecond), Math.round(peakRssMib)],
        ...[requests, slowestMs === null ? null : Math.round(slowestMs)],
      ]),
    },
  ],
  charts: [
    {
      name: 'events',
      title: 'Rebuilding views',
      unit: 'events/s',
      bars: rows.map(({ view, events, eventsPerSecond, requests }) => ({
        facet: '',
        group: requests === null ? view : `${view}, API asked`,
        series: `${events} events`,
        value: Math.round(eventsPerSecond),
      })),
    },
  ],
  goals: rows.map(({ view, events, eventsPerSecond }) =>
    atLeast(`rebuild of ${view} from ${events} events`, Math.round(eventsPerSecond), 20_000, 'events/s'),
  ),
});
