import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { resultsDir } from './checkout.mjs';

/** What tests and gates have measured, for the rows of docs/reliability.md; tests write there too (tests/support/figures.ts). */
const figuresFile = join(resultsDir, 'figures.txt');

export const forgetFigures = () => rmSync(figuresFile, { force: true });

export const reportFigure = (row, figure) => appendFileSync(figuresFile, `${row}  ${figure}\n`);

export function printFigures() {
  if (existsSync(figuresFile)) console.log(`\nFigures\n${readFileSync(figuresFile, 'utf8')}`);
}
