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
  expect(changesOf('AutomationDefinitionSaved.v1').map(({ shown }) => shown)).toEqual([{}]);
});

test('the first definition is not taken back, later ones are by a new version', () => {
  const change = { id: '4', after: {}, now: {} };
  expect(automationResource.revert({ ...change, before: { flow: null } })).toMatch(/cannot be undone/);
  expect(automationResource.revert({ ...change, before: { name: 'A' } })).toMatchObject({
    operation: { name: 'update-automation' },
    input: { name: 'A' },
  });
});

test('why nothing ran can be read in the history, and changes nothing of the automation', () => {
  const [, missed, refused] = changesOf(
    'AutomationCreated.v1',
    'AutomationMomentsMissed.v1',
    'AutomationTriggerRefused.v1',
  );
  for (const change of [missed, refused]) expect([change?.before, change?.after]).toEqual([{}, {}]);
  expect(missed?.summary).toMatch(/from 2026-11-21T09:00:00.000Z .* were missed.* 2026-11-21T12:00:00.000Z/);
  expect(refused?.summary).toMatch(/^lead\.created .* started no run: more than eight runs/);
});
