import { loadConfig } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { databaseOf, sandboxConfig } from './config.ts';

test.each([
  [{}, 'parley_sandbox'],
  [{ DATABASE_PREFIX: 'second' }, 'second_sandbox'],
  [{ DATABASE_PREFIX: 'second', SANDBOX_DATABASE: 'own' }, 'own'],
])('with %j the database is %s: stacks on one server have a world each', (environment, expected) =>
  expect(databaseOf(loadConfig(sandboxConfig, environment))).toBe(expected),
);
