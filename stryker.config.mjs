import { decisionFiles } from './tools/bootstrap/pure-files.mjs';

/** Mutation tests of everything that decides (CONTRIBUTING.md); `npm run test:mutation`. */
export default {
  mutate: decisionFiles(),
  // It would rewrite paths in one with TypeScript's API, which TypeScript 7 does not have; nothing here reads them.
  tsconfigFile: 'none',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutation.config.ts' },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // What is neither source nor test need not be in the copy that the mutants live in.
  ignorePatterns: ['.toolchain', '.parley', '.test-results', 'dist', 'bench', 'deploy', 'docs', 'tests'],
  tempDirName: '.test-results/stryker',
  incremental: true,
  incrementalFile: '.test-results/mutation/incremental.json',
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: '.test-results/mutation/mutation.json' },
  htmlReporter: { fileName: '.test-results/mutation/mutation.html' },
};
