import type { GroupResult, Results } from './results-file.ts';
import type { Goal, Section, Table } from './section.ts';

/** Where the plot of a chart stands beside the page. */
export const plotFile = (group: string, chart: string): string => `benchmarks/${group}-${chart}.svg`;

/** The page of everything that was kept. */
export function renderPage(results: Results): string {
  const groups = Object.entries(results);
  return `${[
    '# Benchmarks',
    '`npm run bench -- --write` makes this page from `benchmarks.json`; with `--only` it replaces the groups named. The load runs on the same cores as everything it measures. Ratios are taken within a round and compare variants that ran seconds apart; absolute figures are that machine on that day. Over HTTP, since 29 November, Postgres begins with a log that it can write over, as it has after some use. CPU time is what every process of a side spent (`/proc`, user and system) divided by the requests answered, without the load itself: it depends least on what else the machine does.',
    goalsTable(groups.flatMap(([, { section }]) => section.goals)),
    ...groups.map(([name, result]) => renderGroup(name, result)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

/** One group as text. */
export function renderSection({ title, notes, tables, goals }: Section): string {
  return [`## ${title}`, ...notes, ...tables.map(renderTable), goalsTable(goals)]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderGroup(name: string, { measuredAt, machine, rounds, secondsPerRun, section }: GroupResult) {
  const { cpu, cores, memoryGib, node } = machine;
  const when = `Measured on ${measuredAt.slice(0, 10)}: ${rounds === 1 ? 'one round' : `medians of ${rounds} interleaved rounds`} of ${secondsPerRun} s, ${cores} cores (${cpu}, ${memoryGib} GiB), Node ${node}, Postgres 18 with fsync.`;
  const plots = section.charts.map((chart) => `![${chart.title}](${plotFile(name, chart.name)})`);
  return [`## ${section.title}`, ...section.notes, ...section.tables.map(renderTable), ...plots, when].join(
    '\n\n',
  );
}

function goalsTable(goals: readonly Goal[]): string {
  if (goals.length === 0) return '';
  return renderTable({
    columns: [{ name: 'goal' }, { name: 'measured' }, { name: 'wanted' }, { name: '' }],
    rows: goals.map(({ what, measured, goal, isMet }) => [what, measured, goal, isMet ? 'met' : 'missed']),
  });
}

function renderTable({ columns, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ name }) => name)),
    line(columns.map(() => '---')),
    ...rows.map((row) =>
      line(
        row.map((cell, index) =>
          typeof cell === 'number' ? cell.toFixed(columns[index]?.digits ?? 0) : (cell ?? ''),
        ),
      ),
    ),
  ].join('\n');
}
