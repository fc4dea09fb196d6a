import type { AssistantEvent, KnowledgebaseEvent } from '@parley/contracts';
import type { NewEvent, PostgresEventStore } from '@parley/event-store';
import { verifyProjection } from '@parley/processing';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leastInput } from '../../assistant/settings.fixture.ts';
import { settingsOf } from '../../assistant/settings.ts';
import { createKnowledgebaseReader } from '../knowledgebases/knowledgebase-queries.ts';
import { knowledgebasesView } from '../knowledgebases/knowledgebases-view.ts';
import { foldersView, itemsTable, labelsView } from '../organisers/organisers-view.ts';
import { createAssistantPages, createAssistantReader } from './assistant-queries.ts';
import { assistantsTable, assistantsView } from './assistants-view.ts';

const views = [foldersView, labelsView, assistantsView, knowledgebasesView];
let store: PostgresEventStore;

beforeAll(async () => {
  store = await createTestStore(views);
});
afterAll(() => store?.close());

const write = (streamId: string, events: readonly NewEvent[], accountId = 3) =>
  store.append({
    streamId,
    category: streamId.slice(0, streamId.lastIndexOf('-')),
    accountId,
    events,
    expectedVersion: 'any',
    metadata: testMetadata,
  });

async function expectNoDrift() {
  for (const projection of views)
    expect(await verifyProjection({ pool: store.pool, projection })).toMatchObject({ differing: 0 });
}

test('histories written by every earlier version are shown as what they meant', async () => {
  await write('assistant-12', golden<AssistantEvent>('AssistantCreated.v1'));
  const read = createAssistantReader(store.pool);
  const shown = async () => JSON.parse((await read({ accountId: 3, id: 12 }))?.body ?? 'null');
  expect(await shown()).toMatchObject({
    id: 12,
    user_id: 3,
    name: 'Büro "Süd" 東京 🏢',
    variables: { customer: 'you', constructor: { nested: [1, null, "'"] } },
    folder_id: 12,
    label_ids: [7, 8],
    status: 'inactive',
    deleted_at: null,
  });
  await write(
    'assistant-12',
    golden<AssistantEvent>(
      'AssistantRenamed.v1',
      'AssistantSettingsChanged.v1',
      'AssistantActivated.v1',
      'AssistantMovedToFolder.v1',
      'AssistantLabelled.v1',
      'AssistantKnowledgebaseChanged.v1',
      'AssistantNumberChanged.v1',
      'InboundWebhookEnabled.v1',
      'WebhookEnabled.v1',
    ),
  );
  expect(await shown()).toMatchObject({
    name: 'Sales\tEMEA',
    type: 'outbound',
    llm_temperature: '0.25',
    status: 'active',
    folder_id: null,
    label_ids: [8],
    webhook_url: 'http://127.0.0.1:4000/hook',
  });
  await write(
    'assistant-12',
    golden<AssistantEvent>('AssistantDeactivated.v1', 'WebhookDisabled.v1', 'InboundWebhookDisabled.v1'),
  );
  expect(await shown()).toMatchObject({ status: 'inactive', webhook_url: null, inbound_webhook_url: null });
  await expectNoDrift();
  await write('assistant-12', golden<AssistantEvent>('AssistantDeleted.v1'));
  expect(await shown()).toBeNull();

  const knowledgebase = createKnowledgebaseReader(store.pool);
  await write('knowledgebase-4', golden<KnowledgebaseEvent>('KnowledgebaseCreated.v1'));
  await write(
    'knowledgebase-4',
    golden<KnowledgebaseEvent>('KnowledgebaseRenamed.v1', 'KnowledgebaseDescribed.v1'),
  );
  expect((await knowledgebase({ accountId: 3, id: 4 }))?.body).toBe(
    '{"id":4,"name":"Prices","description":"What it costs.\\n\\\\ 1,50 €","status":"active","status_label":"Active","updated_at":"2026-11-21T09:32:00.999000Z"}',
  );
  await expectNoDrift();
  await write('knowledgebase-4', golden<KnowledgebaseEvent>('KnowledgebaseDeleted.v1'));
  expect(await knowledgebase({ accountId: 3, id: 4 })).toBeNull();
  await expectNoDrift();
});

/** Mulberry32: a failing run is repeated with its seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

test('whatever order and batches events come in, counts are exact and a rebuild gives the same rows', async () => {
  const seed = Date.now() % 1_000_000;
  const random = randomFrom(seed);
  const base = 1_000_000 + seed * 100;
  const folders = [1, 2, 3].map((n) => base + n);
  const labels = [11, 12, 13].map((n) => base + n);
  const knowledgebases = [21, 22].map((n) => base + n);
  const assistants = Array.from({ length: 12 }, (_, n) => base + 30 + n);
  const gone = new Set<number>();
  const model = new Map<number, { folder: number | null; labels: number[]; knowledge: number | null }>();
  const pick = (ids: readonly number[]) => ids[random(ids.length)] ?? 0;
  const some = (ids: readonly number[]) => ids.filter(() => random(2) === 0);
  const accountId = base;
  for (const id of folders)
    await write(`folder-${id}`, [{ type: 'FolderCreated', data: { id, name: 'f', color: null } }], accountId);
  for (const id of labels)
    await write(`label-${id}`, [{ type: 'LabelCreated', data: { id, name: 'l', color: null } }], accountId);
  for (const id of knowledgebases) {
    const data = { id, name: 'k', description: '', updated_at: '2026-01-01T00:00:00.000000Z' };
    await write(`knowledgebase-${id}`, [{ type: 'KnowledgebaseCreated', data }], accountId);
  }
  const deleted = new Set<number>();
  const deletions = [
    [folders, 'folder', 'FolderDeleted'],
    [labels, 'label', 'LabelDeleted'],
    [knowledgebases, 'knowledgebase', 'KnowledgebaseDeleted'],
  ] as const;

  /** One more event that could follow; references may point at what is gone, as after a lost race. */
  function next(): { streamId: string; events: NewEvent[] } | undefined {
    const id = pick(assistants);
    const streamId = `assistant-${id}`;
    const state = model.get(id);
    const kind = random(12);
    if (kind === 0) {
      const [all, name, type] = deletions[random(3)] ?? deletions[0];
      const target = pick(all);
      if (gone.has(target) || random(4) !== 0) return undefined;
      gone.add(target);
      return { streamId: `${name}-${target}`, events: [{ type, data: {} }] };
    }
    if (!state) {
      if (deleted.has(id)) return undefined;
      const fresh = {
        folder: random(2) ? pick(folders) : null,
        labels: some(labels),
        knowledge: random(2) ? pick(knowledgebases) : null,
      };
      model.set(id, fresh);
      const settings = {
        ...settingsOf(leastInput),
        folder_id: fresh.folder,
        label_ids: fresh.labels,
        knowledgebase_id: fresh.knowledge,
      };
      return { streamId, events: [{ type: 'AssistantCreated', data: { id, uuid: 'u', settings } }] };
    }
    switch (kind % 5) {
      case 0:
        state.folder = random(3) ? pick(folders) : null;
        return { streamId, events: [{ type: 'AssistantMovedToFolder', data: { folder_id: state.folder } }] };
      case 1:
        state.labels = some(labels);
        return { streamId, events: [{ type: 'AssistantLabelled', data: { label_ids: state.labels } }] };
      case 2: {
        state.knowledge = random(3) ? pick(knowledgebases) : null;
        const data = { knowledgebase_id: state.knowledge };
        return { streamId, events: [{ type: 'AssistantKnowledgebaseChanged', data }] };
      }
      case 3:
        return { streamId, events: [{ type: 'AssistantRenamed', data: { name: `n${random(100)}` } }] };
      default:
        if (random(4) !== 0) return undefined;
        model.delete(id);
        deleted.add(id);
        return { streamId, events: [{ type: 'AssistantDeleted', data: { deleted_at: 'now' } }] };
    }
  }

  for (let batch = 0; batch < 60; batch += 1) {
    const batched = Array.from({ length: 1 + random(8) }, next).filter((each) => each !== undefined);
    await Promise.all(batched.map(({ streamId, events }) => write(streamId, events, accountId)));
  }

  const living = [...model.entries()];
  const countOf = async (view: typeof foldersView) => {
    const { rows } = await store.pool.query(
      `select id, assistants_count from ${itemsTable(view)} where account_id = $1 order by id`,
      [accountId],
    );
    return Object.fromEntries(rows.map(({ id, assistants_count }) => [id, assistants_count]));
  };
  const expected = (ids: readonly number[], isIn: (id: number, state: (typeof living)[0][1]) => boolean) =>
    Object.fromEntries(
      ids
        .filter((id) => !gone.has(id))
        .map((id) => [id, living.filter(([, state]) => isIn(id, state)).length]),
    );
  expect(await countOf(foldersView), `seed ${seed}`).toEqual(
    expected(folders, (id, { folder }) => folder === id),
  );
  expect(await countOf(labelsView), `seed ${seed}`).toEqual(
    expected(labels, (id, state) => state.labels.includes(id)),
  );
  const page = await createAssistantPages(store.pool)({ accountId, page: 1, perPage: 100 });
  expect(page.total, `seed ${seed}`).toBe(living.length);
  const shown = (id: number | null) => (id !== null && gone.has(id) ? null : id);
  for (const item of JSON.parse(`[${page.items}]`)) {
    const state = model.get(item.id);
    expect(item, `seed ${seed}`).toMatchObject({
      folder_id: shown(state?.folder ?? null),
      label_ids: state?.labels.filter((label) => !gone.has(label)),
      knowledgebase_id: shown(state?.knowledge ?? null),
    });
  }
  await expectNoDrift();
});

test('a page of large assistants is read without unpacking them', async () => {
  const settings = settingsOf({ ...leastInput, system_prompt: 'x'.repeat(3_000) });
  const created = [{ type: 'AssistantCreated', data: { id: 77, uuid: 'u', settings } }];
  await write('assistant-77', created, 77);
  const { rows } = await store.pool.query(
    `select pg_column_compression(body) as compression from ${assistantsTable} where id = 77`,
  );
  expect(rows).toEqual([{ compression: null }]);
});
