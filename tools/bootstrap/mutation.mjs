import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot, resultsDir } from './checkout.mjs';
import { forgetFigures, printFigures, reportFigure } from './figures.mjs';
import { runForeground } from './run-foreground.mjs';

/** In percent. */
const leastScore = 85;
const reportFile = join(resultsDir, 'mutation', 'mutation.json');

/** Changes every decision in every way Stryker knows, and reports how many of the changes a pure test notices. */
export async function runMutants(args, env) {
  rmSync(reportFile, { force: true });
  const stryker = join(checkoutRoot, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  // Thousands of mutants: each meets the short forms.
  const exitCode = await runForeground('node', [stryker, 'run', ...args], {
    env: { ...env, PARLEY_TEST_TIER: '' },
  });
  const score = exitCode === 0 ? judgeMutants() : 0;
  return exitCode || (score >= leastScore ? 0 : 1);
}

/** The same alone, with the options of `stryker run`. */
export async function testMutants(args, env) {
  mkdirSync(resultsDir, { recursive: true });
  forgetFigures();
  const exitCode = await runMutants(args, env);
  printFigures();
  return exitCode;
}

function judgeMutants() {
  const { files } = JSON.parse(readFileSync(reportFile, 'utf8'));
  const mutants = Object.values(files).flatMap((file) => file.mutants);
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const noticed = count('Killed', 'Timeout');
  const missed = count('Survived', 'NoCoverage');
  const score = (100 * noticed) / (noticed + missed);
  reportFigure(
    'Mutation',
    `${noticed} of ${noticed + missed} mutants of ${Object.keys(files).length} files noticed: ${score.toFixed(1)} % ` +
      `(at least ${leastScore} %); ${count('NoCoverage')} of the others are in code that no pure test reaches`,
  );
  return score;
}
