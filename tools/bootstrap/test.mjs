import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from './checkout.mjs';
import { runForeground } from './run-foreground.mjs';
import { runStep, StepFailed } from './step.mjs';

const bin = (name) => join(checkoutRoot, 'node_modules', '.bin', name);
const reportFile = join(checkoutRoot, '.test-results', 'vitest.json');
/** What tests have measured, for the rows of docs/reliability.md. */
const figuresFile = join(checkoutRoot, '.test-results', 'figures.txt');

const checks = [
  { name: 'Format and lint', command: 'biome', args: ['check', '.'] },
  { name: 'Types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  {
    name: 'Boundaries',
    command: 'depcruise',
    args: ['--config', '.dependency-cruiser.cjs', 'libs', 'services', 'tools', 'bench', 'tests'],
  },
  { name: 'Dead code', command: 'knip', args: [] },
];

/** Every check, then every test, whatever failed before. The last line printed counts the tests. */
export async function runTests(args, env) {
  const failed = [];
  for (const check of args.length === 0 ? checks : []) {
    if (!(await passes(check, env))) failed.push(check.name);
  }
  for (const file of [reportFile, figuresFile]) rmSync(file, { force: true });
  mkdirSync(join(checkoutRoot, '.test-results'), { recursive: true });
  const exitCode = await runForeground(
    'node',
    [
      join(checkoutRoot, 'node_modules', 'vitest', 'vitest.mjs'),
      ...['run', '--root', checkoutRoot],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`],
      ...args,
    ],
    { env },
  );
  if (existsSync(figuresFile)) console.log(`\nFigures\n${readFileSync(figuresFile, 'utf8')}`);
  for (const name of failed) console.log(`Check failed: ${name.toLowerCase()} (see above).`);
  const { line, skipped, hasFailures } = summarise();
  if (skipped > 0) console.log(`${skipped} tests were skipped.`);
  console.log(line);
  return exitCode || (failed.length > 0 || hasFailures ? 1 : 0);
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

/** Vitest's own counts; a run that left no report counts as one failure. */
function summarise() {
  try {
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    const line = `${report.numPassedTests} passed, ${report.numFailedTests} failed`;
    return { line, skipped: report.numPendingTests + report.numTodoTests, hasFailures: !report.success };
  } catch {
    return { line: '0 passed, 1 failed', skipped: 0, hasFailures: true };
  }
}
