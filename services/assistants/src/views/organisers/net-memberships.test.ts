import type { AssistantEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { leastInput } from '../../assistant/settings.fixture.ts';
import { settingsOf } from '../../assistant/settings.ts';
import { folderKind, labelKind } from '../../organisers/organiser-kind.ts';
import { netMemberships } from './net-memberships.ts';

const of = (event: AssistantEvent) => recorded(event, { streamId: 'assistant-12', category: 'assistant' });
const created = of({
  type: 'AssistantCreated',
  data: {
    id: 12,
    uuid: '0b9f3c1e-5d0a-4c1b-9b57-3f2d6a1c8e40',
    settings: settingsOf({ ...leastInput, folder_id: 7, label_ids: [1, 2] }),
  },
});
const moved = (folder_id: number | null) => of({ type: 'AssistantMovedToFolder', data: { folder_id } });
const labelled = of({ type: 'AssistantLabelled', data: { label_ids: [2, 3] } });
const deleted = of(golden<AssistantEvent>('AssistantDeleted.v1')[0] as AssistantEvent);
const foreign = recorded({ type: 'AssistantDeleted', data: {} }, { streamId: 'other-12', category: 'other' });

test('of all that a batch says about a folder or labels, the last word counts', () => {
  const batch = [created, moved(null), labelled, moved(8), foreign];
  expect(netMemberships(batch, folderKind)).toEqual([{ assistantId: 12, organiserIds: [8] }]);
  expect(netMemberships(batch, labelKind)).toEqual([{ assistantId: 12, organiserIds: [2, 3] }]);
  expect(netMemberships([created], folderKind)).toEqual([{ assistantId: 12, organiserIds: [7] }]);
  expect(netMemberships([created], labelKind)).toEqual([{ assistantId: 12, organiserIds: [1, 2] }]);
});

test('who is taken out, or deleted, is in none, and what is not spoken of stays as it is', () => {
  expect(netMemberships([moved(null)], folderKind)).toEqual([{ assistantId: 12, organiserIds: [] }]);
  expect(netMemberships([moved(8)], labelKind)).toEqual([]);
  expect(netMemberships([labelled], folderKind)).toEqual([]);
  for (const kind of [folderKind, labelKind])
    expect(netMemberships([created, deleted], kind)).toEqual([{ assistantId: 12, organiserIds: [] }]);
});
