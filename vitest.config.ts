import { defineConfig } from 'vitest/config';

/** Tests run from the sources: no build is needed first. */
const sources = [
  { find: /^@parley\/([a-z-]+)$/, replacement: `${import.meta.dirname}/libs/$1/src/index.ts` },
  { find: /^@parley\/([a-z-]+)\/([a-z-]+)$/, replacement: `${import.meta.dirname}/libs/$1/src/$2.ts` },
];
const packages = ['libs', 'services', 'tools', 'bench'];

/** Three tiers: pure functions, real Postgres and NATS, and the whole stack from outside. */
export default defineConfig({
  resolve: { alias: sources },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: packages.map((folder) => `${folder}/**/src/**/*.test.ts`),
          exclude: ['**/*.int.test.ts', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'int',
          include: packages.map((folder) => `${folder}/**/src/**/*.int.test.ts`),
          exclude: ['**/node_modules/**'],
          globalSetup: ['libs/testing/src/servers.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'black-box',
          include: ['tests/**/*.test.ts'],
          globalSetup: ['tests/support/shared-stack.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
