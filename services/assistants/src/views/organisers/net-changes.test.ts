import { recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import type { OrganiserEvent } from '../../organisers/organiser.ts';
import { folderKind } from '../../organisers/organiser-kind.ts';
import { netChanges, type RecordedOrganiserEvent } from './net-changes.ts';

let position = 0;
const happened = (id: number, event: OrganiserEvent): RecordedOrganiserEvent => {
  position += 1;
  return recorded(event, { position, streamId: `folder-${id}`, category: 'folder', accountId: 3 });
};

test('a batch comes to one change per organiser, however many events it holds', () => {
  const created = happened(1, folderKind.created({ id: 1, name: 'a', color: null }));
  const events = [
    created,
    happened(2, folderKind.renamed('b')),
    happened(1, folderKind.renamed('c')),
    happened(2, folderKind.recolored(null)),
    happened(3, folderKind.renamed('d')),
    happened(3, folderKind.deleted()),
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
