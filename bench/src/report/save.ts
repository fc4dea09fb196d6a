import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderPage } from './page.ts';
import { writePlots } from './plots.ts';
import { docsDir, mergeResults, type Results, readResults, writeResults } from './results-file.ts';

/** Keeps what was measured now beside what was kept of other groups, and makes the page and the plots of it. */
export async function saveResults(measured: Results, order: readonly string[]): Promise<void> {
  const kept = mergeResults(await readResults(), measured, order);
  await writeResults(kept);
  for (const [group, { section }] of Object.entries(measured)) await writePlots(group, section);
  await writeFile(join(docsDir, 'benchmarks.md'), renderPage(kept));
}
