import { givenAndUnknown, golden, passedOver } from '@parley/testing';
import { expect, test } from 'vitest';
import { automation } from './automation/automation.ts';
import { pastAutomation } from './automation/past-automation.ts';
import { keptConnection } from './connections/connection.ts';
import { run } from './run/fold-run.ts';

test.each([
  ['an automation', () => givenAndUnknown(automation, ...golden<never>('AutomationCreated.v1'))],
  ['one of the past', () => givenAndUnknown(pastAutomation, ...golden<never>('AutomationCreated.v1'))],
  ['a connection', () => givenAndUnknown(keptConnection, ...golden<never>('ConnectionCreated.v2'))],
])('%s stays as it is when a later release writes what this one does not know', (_, folded) => {
  const { state, after } = folded();
  expect(state).not.toBeNull();
  expect(after).toEqual(state);
});

test('every event that was ever written means something to the fold of its stream, or is named here', () => {
  const folds = { automation, connection: keptConnection, run };
  // What is only told.
  expect(passedOver('automations', folds)).toEqual([
    'AutomationMomentsMissed.v1',
    'AutomationTriggerRefused.v1',
    'AutomationTriggerRefused.v2',
  ]);
});
