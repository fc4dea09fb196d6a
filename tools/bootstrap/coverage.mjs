import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot, resultsDir } from './checkout.mjs';
import { forgetFigures, printFigures, reportFigure } from './figures.mjs';
import { isPure } from './pure-files.mjs';
import { runForeground } from './run-foreground.mjs';

/** In percent, of all sources of `libs`, `services` and `tools`, loaded by a test or not. */
const leastLines = 90;
const leastBranchesOfPure = 95;

const reportDir = join(resultsDir, 'coverage');
/** Every process that a test has started leaves a file there when it ends; one that is killed leaves none. */
const processesDir = join(resultsDir, 'coverage-of-processes');

/** Every test in its short form, counted in its own process and in those that it starts; reports what they covered. */
export async function runCoverage(args, env) {
  for (const folder of [reportDir, processesDir]) rmSync(folder, { recursive: true, force: true });
  const tested = await runForeground(
    'node',
    [
      join(checkoutRoot, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', '--root', checkoutRoot, '--coverage', '--coverage.reporter=json'],
      ...args,
    ],
    // Of the modules, not of the bundles that they went into.
    {
      env: {
        ...env,
        PARLEY_TEST_TIER: '',
        PARLEY_COVERAGE_OF_PROCESSES: processesDir,
        PARLEY_BUNDLES: 'false',
      },
    },
  );
  const joinCoverage = join(checkoutRoot, 'tools', 'bootstrap', 'join-coverage.mjs');
  const joined = await runForeground('node', [joinCoverage, reportDir, processesDir], { env });
  rmSync(processesDir, { recursive: true, force: true });
  return tested || joined || (judgeCoverage() ? 0 : 1);
}

/** The same alone, with the options of `vitest run`; a part of the tests covers less than the whole is asked for. */
export async function testCoverage(args, env) {
  mkdirSync(resultsDir, { recursive: true });
  forgetFigures();
  const exitCode = await runCoverage(args, env);
  printFigures();
  return exitCode;
}

function judgeCoverage() {
  const { total, ...files } = JSON.parse(readFileSync(join(reportDir, 'coverage-summary.json'), 'utf8'));
  const pure = Object.entries(files).filter(([file]) => isPure(readFileSync(file, 'utf8')));
  const branches = { covered: 0, total: 0 };
  for (const [, counted] of pure) {
    branches.covered += counted.branches.covered;
    branches.total += counted.branches.total;
  }
  const share = (100 * branches.covered) / branches.total;
  reportFigure(
    'Coverage',
    `lines ${total.lines.pct.toFixed(1)} % of ${Object.keys(files).length} files (at least ${leastLines} %); ` +
      `branches of the ${pure.length} pure ones ${share.toFixed(1)} % (at least ${leastBranchesOfPure} %)`,
  );
  return total.lines.pct >= leastLines && share >= leastBranchesOfPure;
}
