import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '.test-results');

/** Notes a measured value for a row of the reliability table; `npm test` prints all of them at its end. */
export function reportFigure(row: string, figure: string): void {
  // With coverage everything is slower, so nothing is reported.
  if (process.env.NODE_V8_COVERAGE !== undefined) return;
  mkdirSync(folder, { recursive: true });
  appendFileSync(join(folder, 'figures.txt'), `${row}  ${figure}\n`);
}

/** The value below which this share (0 to 1) of the values lies; 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
