import type { PostgresEventStore } from '@parley/event-store';
import { verifyProjection } from '@parley/processing';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganiserEvent } from '../../organisers/organiser.ts';
import { foldersView, itemsTable, labelsView } from './organisers-view.ts';

const views = [foldersView, labelsView];
let store: PostgresEventStore;

beforeAll(async () => {
  store = await createTestStore(views);
});
afterAll(() => store?.close());

const write = (streamId: string, category: string, events: readonly OrganiserEvent[]) =>
  store.append({
    streamId,
    category,
    accountId: 3,
    events,
    expectedVersion: 'any',
    metadata: testMetadata,
  });

const bodies = async (view: typeof foldersView) => {
  const { rows } = await store.pool.query(`select body, assistants_count from ${itemsTable(view)}`);
  return rows;
};

test('histories written by every earlier version are shown as what they meant', async () => {
  const folder = golden<OrganiserEvent>('FolderCreated.v1', 'FolderRenamed.v1', 'FolderRecolored.v1');
  for (const event of folder) await write('folder-12', 'folder', [event]);
  expect(await bodies(foldersView)).toEqual([
    { body: '{"id":12,"name":"Sales\\tEMEA","color":null,"assistants_count":0}', assistants_count: 0 },
  ]);
  const colorless = { type: 'LabelCreated', data: { id: 8, name: 'Plain', color: null } } as const;
  await write('label-8', 'label', [colorless]);
  expect(await bodies(labelsView)).toEqual([
    { body: '{"id":8,"name":"Plain","color":"gray","assistants_count":0}', assistants_count: 0 },
  ]);
  await write('label-8', 'label', golden('LabelDeleted.v1'));
  const label = golden<OrganiserEvent>('LabelCreated.v1', 'LabelRenamed.v1', 'LabelRecolored.v1');
  await write('label-7', 'label', label);
  expect(await bodies(labelsView)).toEqual([
    { body: '{"id":7,"name":"Very important","color":"pink","assistants_count":0}', assistants_count: 0 },
  ]);
  for (const projection of views)
    expect(await verifyProjection({ pool: store.pool, projection })).toMatchObject({ rows: 1, differing: 0 });
  await write('folder-12', 'folder', golden('FolderDeleted.v1'));
  await write('label-7', 'label', golden('LabelDeleted.v1'));
  for (const view of views) expect(await bodies(view)).toEqual([]);
});
