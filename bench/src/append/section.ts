import { atLeast, type Goal, type Section } from '../report/section.ts';
import type { AppendBenchRow } from './append.ts';

const emmett = 'emmett append';
const pgbench = 'pgbench INSERT';

export function appendSection(rows: readonly AppendBenchRow[]): Section {
  const [parley] = rows;
  const others = rows.slice(1).map(({ variant }) => variant);
  const goalOf = (other: string, wanted: number): Goal[] => {
    const ratio = parley?.ratios.get(other);
    return ratio === undefined ? [] : [atLeast(`append: ratio to ${other}`, ratio, wanted)];
  };
  return {
    title: 'Append',
    notes: [
      'Single events, 32 writers, fsync, one Postgres for all. `parley` records event, stream version and command with its answer, and puts what came while the last append was in flight into one; `emmett` is `@event-driven-io/emmett-postgresql` over a pool of 32, which records event and stream version in a transaction each; the others insert one row each, prepared, and check nothing.',
    ],
    tables: [
      {
        columns: [
          { name: 'variant' },
          { name: 'events/s' },
          ...others.map((other) => ({ name: `ratio to ${other}`, digits: 2 })),
        ],
        rows: rows.map(({ variant, rowsPerSecond, ratios }) => [
          variant,
          Math.round(rowsPerSecond),
          ...others.map((other) => Number((ratios.get(other) ?? Number.NaN).toFixed(3))),
        ]),
      },
    ],
    charts: [
      {
        name: 'events',
        title: 'Durable appends, 32 writers',
        unit: 'events/s',
        bars: rows.map(({ variant, rowsPerSecond }) => ({
          facet: '',
          group: variant,
          series: variant,
          value: Math.round(rowsPerSecond),
        })),
      },
    ],
    goals: [...goalOf(pgbench, 1.2), ...goalOf(emmett, 5)],
  };
}
