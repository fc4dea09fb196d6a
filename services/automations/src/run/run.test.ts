import { expect, test } from 'vitest';
import { effectKeyOf, runIdOf } from './run.ts';

/** Whatever comes after a release must find the runs and the effects of before. */
test('the ids of runs and effects are the same in every release', () => {
  const runId = runIdOf(7, 'event-1');
  expect(runId).toBe('6ed33e3a-b478-5f0d-af2f-f00ed8279557');
  expect(effectKeyOf(runId, 'pure0')).toBe('f2e90262-bf09-5a60-8586-744e7224d162');
  expect(runIdOf(7, 'Bestellung für Ångström 🚀')).toBe(runIdOf(7, 'Bestellung für Ångström 🚀'));
  expect(runIdOf(8, 'event-1')).not.toBe(runId);
});
