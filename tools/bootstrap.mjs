// Starts anything in this checkout on any Node from 18 on, before anything is installed: gets the pinned Node and pnpm,
// installs from the lockfile, builds, then runs the command with that Node. A step whose result is there is skipped.
import { join } from 'node:path';
import { checkoutRoot } from './bootstrap/checkout.mjs';
import { testCoverage } from './bootstrap/coverage.mjs';
import { withLock } from './bootstrap/lock.mjs';
import { testMutants } from './bootstrap/mutation.mjs';
import { runForeground } from './bootstrap/run-foreground.mjs';
import { StepFailed } from './bootstrap/step.mjs';
import { runQuickly, runTests } from './bootstrap/test.mjs';
import { prepareToolchain } from './bootstrap/toolchain.mjs';
import { bundlePrograms, compileModules, installPackages } from './bootstrap/workspace.mjs';

const commands = {
  parley: (args, env) =>
    runForeground('node', [join(checkoutRoot, 'tools/parley/bundle/main.js'), ...args], { env, ipc: true }),
  check: (_args, env) => runQuickly(env),
  test: (args, env) => runTests(args, env),
  'test-nightly': (args, env) => runTests(args, { ...env, PARLEY_TEST_TIER: 'nightly' }),
  'test-coverage': (args, env) => testCoverage(args, env),
  'test-mutation': (args, env) => testMutants(args, env),
  bench: (args, env) => runForeground('node', [join(checkoutRoot, 'bench/dist/main.js'), ...args], { env }),
  prepare: () => 0,
};

const [name = '', ...args] = process.argv.slice(2);
const command = commands[name];
if (!command) {
  console.error(`usage: node tools/bootstrap.mjs ${Object.keys(commands).join('|')} [arguments]`);
  process.exit(2);
}

/** Benchmarks are no program of the bundles; profiles and coverage tell of modules; and who likes may run those. */
const runsModules =
  ['bench', 'test-nightly', 'test-coverage'].includes(name) || process.env.PARLEY_BUNDLES === 'false';

try {
  const env = await withLock(async () => {
    const toolchainEnv = await prepareToolchain();
    await installPackages(toolchainEnv);
    await bundlePrograms(toolchainEnv);
    await compileModules(toolchainEnv, { all: runsModules });
    return toolchainEnv;
  });
  process.exitCode = await command(args, env);
} catch (error) {
  // What the system says of this folder or a program (no right to write, a full disk) is an expected end, too.
  const isExpected = error instanceof StepFailed || error.syscall !== undefined;
  if (!isExpected) throw error;
  console.error(
    error instanceof StepFailed ? error.message : `${checkoutRoot} cannot be used: ${error.message}`,
  );
  process.exitCode = error.exitCode ?? 1;
  // Whoever counts tests reads the last line, also when none could run.
  if (name.startsWith('test')) console.log('0 passed, 1 failed');
}
