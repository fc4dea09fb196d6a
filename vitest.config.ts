import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests run from the sources: no build is needed first. */
export const sources = [
  { find: /^@parley\/([a-z-]+)$/, replacement: `${import.meta.dirname}/libs/$1/src/index.ts` },
  { find: /^@parley\/([a-z-]+)\/([a-z-]+)$/, replacement: `${import.meta.dirname}/libs/$1/src/$2.ts` },
];
const packages = ['libs', 'services', 'tools', 'bench'];

const isNightly = process.env.PARLEY_TEST_TIER === 'nightly';

/** Processes that tests start say there what they have run; only `npm run test:coverage` asks for it. */
const coverageOfProcesses = process.env.PARLEY_COVERAGE_OF_PROCESSES;
const env = coverageOfProcesses ? { NODE_V8_COVERAGE: coverageOfProcesses } : {};

/** What starts other processes ends with the run. */
const execArgv = ['--import', `${import.meta.dirname}/libs/testing/src/end-with-the-run.ts`];

/**
 * Files that wait for silence to be noticed, or for clients and processes that dawdle, come first of their tier: they
 * compute next to nothing, and nobody waits for them alone at its end.
 */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const waits = ({ moduleId }: TestSpecification) =>
      /\/(silent|hostile|service-process|server-process|feed)[^/]*$/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

export const pure: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'pure',
    sequence: { groupOrder: 0 },
    pool: 'threads',
    maxWorkers: 3,
    testTimeout: 120_000,
    include: packages.map((folder) => `${folder}/**/src/**/*.test.ts`),
    exclude: ['**/*.int.test.ts', '**/node_modules/**'],
  },
};

/** Rows without a short form; each starts what it needs itself. */
const nightly: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    name: 'nightly',
    sequence: { groupOrder: 3 },
    maxWorkers: 1,
    execArgv,
    // Nothing is left of one row when the figures of the next are taken.
    isolate: true,
    include: ['tests/**/*.nightly.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 180_000,
  },
};

/**
 * One after the other: pure functions; real Postgres and NATS; stacks whose processes are killed or whose clocks move; the
 * whole stack from outside, which is the last because it would run beside all that come after it. Tests wait for processes
 * more than they compute, so a few files run side by side also on a machine of two cores.
 */
export default defineConfig({
  resolve: { alias: sources },
  test: {
    // What files import is loaded once for each worker, not for each file: most of the pure tier's time.
    isolate: false,
    sequence: { sequencer: WaitingFirst },
    // A child process takes more than vitest's second to start where the cores are busy.
    expect: { poll: { timeout: 60_000 } },
    coverage: {
      include: ['libs/*/src/**/*.ts', 'services/*/src/**/*.ts', 'tools/*/src/**/*.ts'],
      exclude: ['**/*.{test,fixture,contract}.ts', 'libs/testing/**'],
      reporter: ['json-summary', 'html'],
      reportsDirectory: '.test-results/coverage',
      reportOnFailure: true,
    },
    projects: [
      pure,
      {
        extends: true,
        test: {
          name: 'int',
          sequence: { groupOrder: 1 },
          maxWorkers: 7,
          env,
          execArgv,
          include: packages.map((folder) => `${folder}/**/src/**/*.int.test.ts`),
          exclude: ['**/node_modules/**'],
          globalSetup: ['libs/testing/src/servers.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'own-stack',
          sequence: { groupOrder: 2 },
          // At night it is measured how fast they come back: what runs beside them takes the time that they have for it.
          maxWorkers: isNightly ? 1 : Number(process.env.PARLEY_TEST_OWN_STACKS ?? 3),
          env,
          execArgv,
          include: ['tests/**/*.own-stack.test.ts'],
          globalSetup: ['tests/support/own-stack.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      ...(isNightly ? [nightly] : []),
      {
        extends: true,
        test: {
          name: 'black-box',
          sequence: { groupOrder: 4 },
          maxWorkers: 3,
          env,
          execArgv,
          include: ['tests/**/*.test.ts'],
          exclude: ['**/*.{own-stack,nightly}.test.ts', '**/node_modules/**'],
          globalSetup: ['tests/support/start-shared-stack.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
