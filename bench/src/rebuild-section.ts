import type { RebuildBenchRow } from './rebuild/rebuild-bench.ts';
import { atLeast, atMost, type Section } from './report/section.ts';

export const rebuildSection = (rows: readonly RebuildBenchRow[]): Section => ({
  title: 'Rebuilding every view',
  notes: [
    'Views made anew from the log, row-identical to what was there. Where requests are given, a running service rebuilds while `GET /api/user/folders` is asked one request after the other through the gateway, and none failed; elsewhere a process that does nothing else rebuilds from a log of that view’s events. Peak RSS is that process’s. Where a view is rebuilt from two sizes of log, the smaller one is rebuilt again and again in one process until both have read as many events (its speed is the median): a single short rebuild ends before V8 first collects all garbage, and would make any larger one look hungry.',
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
  goals: [
    ...rows.map((row) => atLeast(whatOf(row), Math.round(row.eventsPerSecond), 20_000, 'events/s')),
    ...memoryGoals(rows),
  ],
});

const whatOf = ({ view, events, requests }: RebuildBenchRow) =>
  `rebuild of ${view} from ${events} events${requests === null ? '' : ', API asked'}`;

/** Of a row whose view was rebuilt from a smaller log just before it. */
const memoryGoals = (rows: readonly RebuildBenchRow[]) =>
  rows.flatMap((row, place) => {
    const smaller = rows[place - 1];
    if (smaller?.view !== row.view || (smaller.requests === null) !== (row.requests === null)) return [];
    const ratio = row.peakRssMib / smaller.peakRssMib;
    return [atMost(`${whatOf(row)}: peak memory to ${smaller.events}`, ratio, 1.2)];
  });
