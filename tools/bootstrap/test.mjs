import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { checkoutRoot, resultsDir } from './checkout.mjs';
import { runCoverage } from './coverage.mjs';
import { withDataInMemory } from './data-in-memory.mjs';
import { forgetFigures, printFigures } from './figures.mjs';
import { runMutants } from './mutation.mjs';
import { runForeground } from './run-foreground.mjs';
import { runStep, StepFailed } from './step.mjs';

const bin = (name) => join(checkoutRoot, 'node_modules', '.bin', name);
const vitest = join(checkoutRoot, 'node_modules', 'vitest', 'vitest.mjs');
const reportFile = join(resultsDir, 'vitest.json');

/** Each works the same types out for itself: more of them than there are cores only stand in each other's way. */
const checkers = Math.min(4, availableParallelism());

/**
 * What V8 has compiled for the processes of a run, for those that start later. Not at night, when figures are taken of stacks
 * as `npm start` runs them: those keep it beside their bundles.
 */
const compiledDir = join(resultsDir, 'compiled');

const checks = [
  { name: 'Format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'Types', command: 'tsc', args: ['-p', 'tsconfig.json', '--checkers', String(checkers)] },
  {
    name: 'Boundaries',
    command: 'depcruise',
    args: ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'tools', 'bench', 'tests'],
  },
  { name: 'Dead code', command: 'knip', args: [] },
];

/** How long the checks may take for so many tests with stacks of their own to run side by side; 15 s on two fast cores. */
const ownStacks = [
  { checksMs: 45_000, sideBySide: 3 },
  { checksMs: 75_000, sideBySide: 2 },
];

/**
 * Every check, then every test, whatever failed before; the last line printed counts the tests. Where the checks took
 * long, so do stacks that others run beside: fewer of the tests that start their own run at a time.
 */
export async function runTests(args, env) {
  const isWhole = args.length === 0;
  const isNightly = env.PARLEY_TEST_TIER === 'nightly';
  const failed = [];
  const startedAt = performance.now();
  for (const check of isWhole ? checks : []) {
    if (!(await passes(check, env))) failed.push(check.name);
  }
  const checkedMs = performance.now() - startedAt;
  const { sideBySide } = ownStacks.find(({ checksMs }) => checkedMs < checksMs) ?? { sideBySide: 1 };
  mkdirSync(resultsDir, { recursive: true });
  forgetFigures();
  rmSync(compiledDir, { recursive: true, force: true });
  const testEnv = {
    ...env,
    PARLEY_TEST_OWN_STACKS: env.PARLEY_TEST_OWN_STACKS ?? String(sideBySide),
    ...(isNightly ? {} : { NODE_COMPILE_CACHE: compiledDir }),
  };
  const testWith = (folder) =>
    runVitest(args, { ...testEnv, ...(folder && { PARLEY_TEST_DATA: folder }) }, isNightly);
  // At night figures are taken, which are to be those of a disk.
  const exitCode = isNightly ? await testWith() : await withDataInMemory(testWith);
  const goesOn = isWhole && isNightly && !isInterrupted(exitCode);
  if (goesOn && (await runCoverage([], env)) !== 0) failed.push('Coverage');
  if (goesOn && (await runMutants([], env)) !== 0) failed.push('Mutation score');
  printFigures();
  for (const name of failed) console.log(`Check failed: ${name.toLowerCase()} (see above).`);
  const { line, skipped, hasFailures } = summarise();
  if (skipped > 0) console.log(`${skipped} tests were skipped.`);
  console.log(line);
  return exitCode || (failed.length > 0 || hasFailures ? 1 : 0);
}

/** Every check, then the pure tests, whatever failed before. */
export async function runQuickly(env) {
  let isFine = true;
  for (const check of checks) isFine = (await passes(check, env)) && isFine;
  const exitCode = await runForeground('node', [vitest, 'run', '--root', checkoutRoot, '--project', 'pure'], {
    env,
  });
  return exitCode || (isFine ? 0 : 1);
}

/** By a signal, as a shell tells it. */
const isInterrupted = (exitCode) => exitCode > 128;

function runVitest(args, env, isNightly) {
  rmSync(reportFile, { force: true });
  return runForeground(
    'node',
    [
      vitest,
      ...['run', '--root', checkoutRoot],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
      ...(isNightly ? [`--reporter=${join(import.meta.dirname, 'tell-failures.mjs')}`] : []),
      ...args,
    ],
    { env },
  );
}

async function passes({ name, command, args }, env) {
  try {
    await runStep({ doing: name, done: name, command: bin(command), args, env, isQuiet: false });
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed) || error.isInterrupted) throw error;
    console.error(error.message);
    return false;
  }
}

/**
 * Vitest's own counts; a file that fails beside its tests (it cannot be loaded, or prepared for them) counts as one failure,
 * and so does a run that left no report or that failed in no file.
 */
function summarise() {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults, success } =
    readReport();
  const failedFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && assertionResults.every((result) => result.status !== 'failed'),
  );
  const failed = numFailedTests + failedFiles.length || (success ? 0 : 1);
  return {
    line: `${numPassedTests} passed, ${failed} failed`,
    skipped: numPendingTests + numTodoTests,
    hasFailures: failed > 0,
  };
}

function readReport() {
  try {
    return JSON.parse(readFileSync(reportFile, 'utf8'));
  } catch {
    return {
      numPassedTests: 0,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [],
      success: false,
    };
  }
}
