import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse, View } from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import { plotFile } from './page.ts';
import { docsDir } from './results-file.ts';
import type { Chart, Section } from './section.ts';

/** Writes the plots of a group beside the page. */
export async function writePlots(group: string, { charts }: Section): Promise<void> {
  for (const chart of charts) {
    const file = join(docsDir, plotFile(group, chart.name));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `${await renderPlot(chart)}\n`);
  }
}

/** The chart as an SVG document. */
export async function renderPlot(chart: Chart): Promise<string> {
  const view = new View(parse(compile(specOf(chart)).spec), { renderer: 'none' });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

function specOf({ title, unit, bars }: Chart): TopLevelSpec {
  const orderOf = (values: readonly string[]) => [...new Set(values)];
  const facets = orderOf(bars.map(({ facet }) => facet));
  return {
    title,
    background: 'white',
    data: { values: bars },
    mark: 'bar',
    width: { step: 18 },
    height: 180,
    encoding: {
      x: {
        field: 'group',
        type: 'nominal',
        title: null,
        sort: orderOf(bars.map(({ group }) => group)),
        axis: { labelAngle: 0 },
      },
      xOffset: { field: 'series', sort: orderOf(bars.map(({ series }) => series)) },
      y: { field: 'value', type: 'quantitative', title: unit },
      color: {
        field: 'series',
        type: 'nominal',
        title: null,
        sort: orderOf(bars.map(({ series }) => series)),
      },
      ...(facets.length > 1
        ? { column: { field: 'facet', type: 'nominal', title: null, sort: facets } as const }
        : {}),
    },
  };
}
