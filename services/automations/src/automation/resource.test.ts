import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationResource } from './resource.ts';

const changesOf = (...names: readonly string[]) =>
  automationResource.changes(
    golden<Parameters<typeof recorded>[0]>(...names).map((event) => recorded(event)),
  );

test('an automation has no flow before its first definition', () => {
  const [created, saved] = changesOf('AutomationCreated.v1', 'AutomationDefinitionSaved.v1');
  expect(created?.shown).toMatchObject({ version: 0, flow: null });
  expect(saved?.shown.flow).toMatchObject({ steps: expect.any(Array) });
  expect(changesOf('AutomationDefinitionSaved.v1')).toMatchObject([{ shown: {} }]);
});

test('the first definition is not taken back, later ones are by a new version', () => {
  const change = { id: '4', after: {}, now: {} };
  expect(automationResource.revert({ ...change, before: { flow: null } })).toMatch(/cannot be undone/);
  expect(automationResource.revert({ ...change, before: { name: 'A' } })).toMatchObject({
    operation: { name: 'update-automation' },
    input: { name: 'A' },
  });
});
