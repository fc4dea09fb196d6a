import { atLeast, atMost, type Chart, type Goal, type Section, type Table } from '../report/section.ts';
import type { HttpBenchRow } from './compare.ts';

/** What is wanted of commands and queries beside the hand-written reference. */
const goals = {
  command: { ratioAt64: 1.2, ratioAt16: 0.75, p50MsAt1: 1.8 },
  query: { ratioAt64: 1.6, ratioAt16: 1, p50MsAt1: 1.5 },
} as const;
const cpuRatioAt64 = 0.8;
const timesNestAt64 = 6;

export interface HttpSectionText {
  readonly title: string;
  readonly notes: readonly string[];
  /** What is asked takes longer than the bus and the log do, on either side. */
  readonly isLong?: boolean;
}

/** The rows of a comparison as tables, plots and goals. */
export const httpSection = (
  { title, notes, isLong = false }: HttpSectionText,
  rows: readonly HttpBenchRow[],
): Section => ({
  title,
  notes: [...notes],
  tables: [mainTable(rows), cpuTable(rows)],
  charts: [
    chartOf('requests', `${title}: requests answered`, 'requests/s', rows, (row) => row.requestsPerSecond),
    chartOf('cpu', `${title}: CPU time of a request`, 'µs', rows, (row) => row.cpuMicros),
  ],
  goals: goalsOf(rows, isLong),
});

const mainTable = (rows: readonly HttpBenchRow[]): Table => ({
  columns: [
    ...['operation', 'connections', 'variant', 'requests/s'].map((name) => ({ name })),
    ...['p50 ms', 'p99 ms', 'ratio to direct'].map((name) => ({ name, digits: 2 })),
    { name: 'CPU µs' },
    { name: 'CPU to direct', digits: 2 },
  ],
  rows: rows.map((row) => [
    row.operation,
    row.connections,
    row.variant,
    ...[row.requestsPerSecond, row.p50Ms, row.p99Ms, row.ratioToDirect].map(rounded),
    ...[row.cpuMicros, row.cpuRatioToDirect].map(rounded),
  ]),
});

/** Where the CPU time of the platform goes. */
function cpuTable(rows: readonly HttpBenchRow[]): Table {
  const ours = rows.filter(({ variant }) => variant === 'parley');
  const total = (name: string) =>
    ours.reduce((sum, { cpuMicrosByProcess }) => sum + (cpuMicrosByProcess.get(name) ?? 0), 0);
  const names = [...new Set(ours.flatMap((row) => [...row.cpuMicrosByProcess.keys()]))].sort(
    (a, b) => total(b) - total(a),
  );
  return {
    columns: ['parley: CPU µs of', 'connections', ...names].map((name) => ({ name })),
    rows: ours.map(({ operation, connections, cpuMicrosByProcess }) => [
      operation,
      connections,
      ...names.map((name) => rounded(cpuMicrosByProcess.get(name) ?? 0)),
    ]),
  };
}

const chartOf = (
  name: string,
  title: string,
  unit: string,
  rows: readonly HttpBenchRow[],
  value: (row: HttpBenchRow) => number,
): Chart => ({
  name,
  title,
  unit,
  bars: rows.map((row) => ({
    facet: row.operation,
    group: connectionsText(row.connections),
    series: row.variant,
    value: rounded(value(row)),
  })),
});

const connectionsText = (connections: number): string =>
  connections === 1 ? '1 connection' : `${connections}`;

function goalsOf(rows: readonly HttpBenchRow[], isLong: boolean): Goal[] {
  return rows
    .filter(({ variant }) => variant === 'parley')
    .flatMap((row) => {
      const { operation, kind, connections } = row;
      const what = `${operation}, ${connectionsText(connections)}${connections === 1 ? '' : ' connections'}`;
      const wanted = goals[kind];
      if (connections === 1) return isLong ? [] : [atMost(`${what}: p50`, row.p50Ms, wanted.p50MsAt1, 'ms')];
      if (connections === 16)
        return [atLeast(`${what}: ratio to direct`, row.ratioToDirect, wanted.ratioAt16)];
      if (connections !== 64) return [];
      const nest = rows.find(
        (other) =>
          other.variant === 'nest-mikro-orm' && other.operation === operation && other.connections === 64,
      );
      return [
        atLeast(`${what}: ratio to direct`, row.ratioToDirect, wanted.ratioAt64),
        atMost(`${what}: CPU time to direct`, row.cpuRatioToDirect, cpuRatioAt64),
        ...(nest
          ? [
              atLeast(
                `${what}: ratio to nest-mikro-orm`,
                row.ratioToDirect / nest.ratioToDirect,
                timesNestAt64,
              ),
            ]
          : []),
      ];
    });
}

const rounded = (value: number): number => Number(value.toPrecision(4));
