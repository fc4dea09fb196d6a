import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '.test-results');

/** What a run has measured for a row of the reliability table; `npm test` prints all of them at its end. */
export function reportFigure(row: string, figure: string): void {
  // While everything that runs is counted, nothing is as fast as it is.
  if (process.env.NODE_V8_COVERAGE !== undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, 'figures.txt'), `${row}  ${figure}\n`);
}

/** The value below which so large a share (0 to 1) of the values is; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
