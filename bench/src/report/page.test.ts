import { expect, test } from 'vitest';
import { renderPage } from './page.ts';
import { renderPlot } from './plots.ts';
import { mergeResults, type Results } from './results-file.ts';
import { atLeast, atMost } from './section.ts';

const resultOf = (title: string, rate: number): Results[string] => ({
  measuredAt: '2026-11-21T08:00:00.000Z',
  machine: { cpu: 'A processor', cores: 2, memoryGib: 24, node: '24.0.0' },
  rounds: 5,
  secondsPerRun: 1,
  section: {
    title,
    notes: ['What is compared.'],
    tables: [{ columns: [{ name: 'variant' }, { name: 'ratio', digits: 2 }], rows: [['parley', rate]] }],
    charts: [
      {
        name: 'ratio',
        title: 'Ratios',
        unit: 'ratio',
        bars: [
          { facet: '', group: '64', series: 'parley', value: rate },
          { facet: '', group: '64', series: 'direct', value: 1 },
        ],
      },
    ],
    goals: [atLeast(`${title}: ratio`, rate, 1.2), atMost(`${title}: p50`, 7, 5, 'ms')],
  },
});

test('groups measured now replace what was kept of them, and of them only', () => {
  const kept = { send: resultOf('Sends', 1), append: resultOf('Append', 2), gone: resultOf('Gone', 3) };
  const merged = mergeResults(kept, { send: resultOf('Sends', 1.5) }, ['append', 'send', 'runs']);
  expect(Object.keys(merged)).toEqual(['append', 'send']);
  expect(merged.append).toBe(kept.append);
  expect(merged.send?.section.tables[0]?.rows).toEqual([['parley', 1.5]]);
});

test('the page shows every goal first, then each group with its tables, plots and machine', () => {
  const page = renderPage({ append: resultOf('Append', 1.5) });
  const [goals, group] = page.split('## Append');
  expect(goals).toContain('| Append: ratio | 1.5 | at least 1.2 | met |');
  expect(goals).toContain('| Append: p50 | 7 ms | at most 5 ms | missed |');
  expect(group).toContain('| parley | 1.50 |');
  expect(group).toContain('![Ratios](benchmarks/append-ratio.svg)');
  expect(group).toContain('2026-11-21');
  expect(group).toContain('2 cores (A processor, 24 GiB)');
});

test('a plot has a bar for each figure', async () => {
  const [chart] = resultOf('Append', 1.5).section.charts;
  if (!chart) throw new Error('There is no chart.');
  const svg = await renderPlot(chart);
  expect(svg).toMatch(/^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg.match(/aria-roledescription="bar"/g)).toHaveLength(2);
});
