import { givenAndUnknown, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { automation } from './automation/automation.ts';
import { pastAutomation } from './automation/past-automation.ts';
import { keptConnection } from './connections/connection.ts';

test.each([
  ['an automation', () => givenAndUnknown(automation, ...golden<never>('AutomationCreated.v1'))],
  ['one of the past', () => givenAndUnknown(pastAutomation, ...golden<never>('AutomationCreated.v1'))],
  ['a connection', () => givenAndUnknown(keptConnection, ...golden<never>('ConnectionCreated.v2'))],
])('%s stays as it is when a later release writes what this one does not know', (_, folded) => {
  const { state, after } = folded();
  expect(state).not.toBeNull();
  expect(after).toEqual(state);
});
