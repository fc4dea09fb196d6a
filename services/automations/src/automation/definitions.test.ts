import type { AutomationDefinition } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import { expect, test } from 'vitest';
import { actions } from '../definition/definition.fixture.ts';
import { createDefinitions } from './definitions.ts';

const definition = (name: string): AutomationDefinition => ({
  trigger: { type: 'schedule', cron: '0 * * * *' },
  steps: [{ id: 'end', type: 'stop', name }],
});

/** Definitions named by `nameOf`, and for how many each query asked. */
function newDefinitions(nameOf: (id: number) => string) {
  const asked: number[] = [];
  const sql = {
    async query({ values }: { values: readonly (readonly number[])[] }) {
      const ids = values[0] ?? [];
      asked.push(ids.length);
      return { rows: ids.map((id) => ({ definition: definition(nameOf(id)) })), rowCount: ids.length };
    },
  } as unknown as SqlExecutor;
  return { asked, definitions: createDefinitions(sql, actions) };
}
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test('automations that listen to one event are read together, and once however many they are', async () => {
  const { asked, definitions } = newDefinitions(() => 'The end');
  const loadAll = () => Promise.all(ids(2_000).map((id) => definitions.load(id, 1)));
  const first = await loadAll();
  expect(first.map((compiled) => compiled?.automationId)).toEqual(ids(2_000));
  expect(asked.length).toBeLessThan(20);
  asked.length = 0;
  expect(await loadAll()).toEqual(first);
  expect(asked).toEqual([]);
});

test('of large ones the oldest are forgotten', async () => {
  const { asked, definitions } = newDefinitions(() => 'x'.repeat(1024 * 1024));
  for (const id of ids(40)) await definitions.load(id, 1);
  asked.length = 0;
  await definitions.load(40, 1);
  expect(asked).toEqual([]);
  await definitions.load(1, 1);
  expect(asked).toEqual([1]);
});
