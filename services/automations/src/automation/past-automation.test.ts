import type { AutomationEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { pastAutomation } from './past-automation.ts';

const after = (...names: readonly string[]) => given(pastAutomation, ...golden<AutomationEvent>(...names));

test('an automation of the past knows when it was made and last changed', () => {
  const created = after('AutomationCreated.v1');
  expect(created?.updatedAt).toBe(created?.createdAt);
  const renamed = after('AutomationCreated.v1', 'AutomationRenamed.v1');
  expect(renamed?.createdAt).toBe(created?.createdAt);
  const [{ data }] = golden<Extract<AutomationEvent, { type: 'AutomationRenamed' }>>(
    'AutomationRenamed.v1',
  ) as [Extract<AutomationEvent, { type: 'AutomationRenamed' }>];
  expect(renamed?.automation.name).toBe(data.name);
});

test('there is none before it was made, and none once it is deleted', () => {
  expect(after('AutomationRenamed.v1')).toBeNull();
  expect(after('AutomationCreated.v1', 'AutomationDeleted.v1')).toBeNull();
});
