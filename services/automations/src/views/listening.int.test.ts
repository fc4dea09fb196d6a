import type { AutomationEvent } from '@parley/contracts';
import type { PostgresEventStore, SqlExecutor } from '@parley/event-store';
import { createTestStore } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { automationCategory, automationStream } from '../automation/automation.ts';
import { AutomationQueries } from './automation-queries.ts';
import { automationsView } from './automations-view.ts';

async function newStore(): Promise<PostgresEventStore> {
  const store = await createTestStore([automationsView]);
  onTestFinished(() => store.close());
  return store;
}

const at = '2026-11-21T10:00:00.000Z';
const activated = { type: 'AutomationActivated', data: { at } } as const;

const add = (store: PostgresEventStore, id: number, accountId: number, trigger: string, ...more: object[]) =>
  store.append({
    streamId: automationStream(id),
    category: automationCategory,
    accountId,
    expectedVersion: 0,
    events: [
      { type: 'AutomationCreated', data: { id, name: `A${id}`, at } },
      {
        type: 'AutomationDefinitionSaved',
        data: { version: 1, definition: { trigger: { type: trigger } }, at },
      },
      ...more,
    ] as unknown as AutomationEvent[],
    metadata: { correlationId: 'c', causationId: 'c', commandId: null, actor: { kind: 'system', id: 't' } },
  });

test('who listens to the events of a page is one query, and for each event those of its account and kind', async () => {
  const store = await newStore();
  await add(store, 1, 7, 'lead.created', activated);
  await add(store, 2, 7, 'lead.created', activated);
  await add(store, 3, 7, 'call.completed', activated);
  await add(store, 4, 8, 'lead.created', activated);
  await add(store, 5, 9, 'lead.created');
  await add(store, 6, 9, 'lead.created', activated, { type: 'AutomationDeleted', data: { at } });
  let asked = 0;
  const sql: SqlExecutor = store.pool;
  const queries = new AutomationQueries({
    query(query) {
      asked += 1;
      return sql.query(query);
    },
  });
  const found = await Promise.all(
    ([7, 8, 9, 7] as const).map((account) => queries.listening(account, 'lead.created')),
  );
  expect(found.map((rows) => rows.map(({ id }) => id))).toEqual([[1, 2], [4], [], [1, 2]]);
  expect(asked).toBe(1);
  expect((await queries.listening(7, 'call.completed')).map(({ id }) => id)).toEqual([3]);
  const kinds = ['lead.created', 'call.completed', 'webhook.inbound'] as const;
  expect([...(await queries.listenedTo(kinds, 9))]).toEqual([
    ['lead.created', [7, 8]],
    ['call.completed', [7]],
  ]);
  expect((await queries.listenedTo(kinds, 1)).get('lead.created')).toEqual([7]);
});

test('a version that no automation ever has is none, and spoils nothing for what is asked in the same tick', async () => {
  const store = await newStore();
  await add(store, 1, 7, 'lead.created');
  const queries = new AutomationQueries(store.pool);
  const asked = [queries.definition(1, 1), queries.definition(1, Number.MAX_SAFE_INTEGER)];
  expect(await Promise.all(asked)).toEqual([{ trigger: { type: 'lead.created' } }, undefined]);
});
