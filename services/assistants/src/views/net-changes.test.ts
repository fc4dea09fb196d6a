import type { RecordedEvent } from '@parley/event-store';
import { expect, test } from 'vitest';
import type { OrganiserEvent } from '../organisers/organiser.ts';
import { folderKind } from '../organisers/organiser-kind.ts';
import { netChanges, type RecordedOrganiserEvent } from './net-changes.ts';

let position = 0;
const recorded = (id: number, event: OrganiserEvent): RecordedOrganiserEvent => {
  position += 1;
  const envelope: Omit<RecordedEvent, 'type' | 'data'> = {
    position,
    streamId: `folder-${id}`,
    streamVersion: 1,
    category: 'folder',
    accountId: 3,
    schemaVersion: 1,
    eventId: '0193e2a0-0000-7000-8000-000000000001',
    metadata: {
      correlationId: 'r',
      causationId: 'c',
      commandId: null,
      actor: { kind: 'api_key', id: '1' },
    },
    recordedAt: '2026-11-21T09:30:00.000000Z',
  };
  return { ...envelope, ...event };
};

test('a batch comes to one change per organiser, however many events it holds', () => {
  const created = recorded(1, folderKind.created({ id: 1, name: 'a', color: null }));
  const events = [
    created,
    recorded(2, folderKind.renamed('b')),
    recorded(1, folderKind.renamed('c')),
    recorded(2, folderKind.recolored(null)),
    recorded(3, folderKind.renamed('d')),
    recorded(3, folderKind.deleted()),
  ];
  expect(netChanges(events)).toEqual([
    {
      id: 1,
      name: 'c',
      color: null,
      isDeleted: false,
      createdAt: { accountId: 3, position: created.position },
    },
    { id: 2, name: 'b', color: null, isDeleted: false },
    { id: 3, name: 'd', isDeleted: true },
  ]);
});
