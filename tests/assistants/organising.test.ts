import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';
import { readRows } from '../support/database.ts';

const create = async (api: Api, path: string, name: string): Promise<number> =>
  ((await api.post(path, { name })).body as { data: { id: number } }).data.id;
const folder = (api: Api, name: string) => create(api, '/api/user/folder', name);
const label = (api: Api, name: string) => create(api, '/api/user/label', name);
const knowledgebase = (api: Api) => create(api, '/api/user/knowledgebases', 'Prices');

/** Names with their counts, as the lists show them. */
async function counts(api: Api, list: 'folders' | 'labels'): Promise<Record<string, number>> {
  const { data } = (await api.get(`/api/user/${list}`)).body as {
    data: { name: string; assistants_count: number }[];
  };
  return Object.fromEntries(data.map(({ name, assistants_count }) => [name, assistants_count]));
}

test('the counts of folders and labels follow assignment, change and deletion', async () => {
  const [api, other] = accountApis(await freshAccount());
  const [sales, support] = [await folder(api, 'Sales'), await folder(api, 'Support')];
  const [vip, night] = [await label(api, 'VIP'), await label(api, 'Night')];
  const first = await createAssistant(api, { folder_id: sales, label_ids: [vip, night, vip] });
  const second = await createAssistant(api, { folder_id: sales, label_ids: [vip] });
  expect(await counts(other, 'folders')).toEqual({ Sales: 2, Support: 0 });
  expect(await counts(other, 'labels')).toEqual({ VIP: 2, Night: 1 });
  expect(await getAssistant(other, first)).toMatchObject({ folder_id: sales, label_ids: [vip, night] });

  await api.put(`/api/user/assistant/${first}`, { folder_id: support, label_ids: [night] });
  expect(await counts(other, 'folders')).toEqual({ Sales: 1, Support: 1 });
  expect(await counts(other, 'labels')).toEqual({ VIP: 1, Night: 1 });

  await api.put(`/api/user/assistant/${first}`, { folder_id: null, label_ids: [] });
  expect(await counts(other, 'folders')).toEqual({ Sales: 1, Support: 0 });
  await api.delete(`/api/user/assistant/${second}`);
  expect(await counts(other, 'folders')).toEqual({ Sales: 0, Support: 0 });
  expect(await counts(other, 'labels')).toEqual({ VIP: 0, Night: 0 });
});

test('a folder that is renamed answers with its count', async () => {
  const [api] = accountApis(await freshAccount());
  const [id, tag] = [await folder(api, 'Sales'), await label(api, 'VIP')];
  await createAssistant(api, { folder_id: id, label_ids: [tag] });
  expect((await api.put(`/api/user/folder/${id}`, { name: 'Leads' })).body).toMatchObject({
    data: { name: 'Leads', assistants_count: 1 },
  });
  expect((await api.put(`/api/user/label/${tag}`, { color: 'red' })).body).toMatchObject({
    data: { color: 'red', assistants_count: 1 },
  });
});

test('deleting a folder, label or knowledgebase takes it from its assistants, at once and in their history', async () => {
  const [api, other] = accountApis(await freshAccount());
  const [own, first, second] = [await folder(api, 'Sales'), await label(api, 'A'), await label(api, 'B')];
  const knowledge = await knowledgebase(api);
  const settings = { folder_id: own, label_ids: [first, second], knowledgebase_id: knowledge };
  const ids = [await createAssistant(api, settings), await createAssistant(api, settings)];
  await api.delete(`/api/user/label/${first}`);
  for (const id of ids) expect(await getAssistant(other, id)).toMatchObject({ label_ids: [second] });
  await api.delete(`/api/user/folder/${own}`);
  await api.delete(`/api/user/knowledgebases/${knowledge}`);
  for (const id of ids)
    expect(await getAssistant(other, id)).toMatchObject({
      folder_id: null,
      label_ids: [second],
      knowledgebase_id: null,
    });
  expect(await counts(other, 'labels')).toEqual({ B: 2 });
  await eventually(async () => {
    for (const id of ids) {
      const events = await readRows<{ type: string; actor: string }>(
        'assistants',
        `select type, metadata->'actor'->>'id' as actor from es.events
         where stream_id = 'assistant-${id}' and type <> 'AssistantCreated'`,
      );
      expect(events.map(({ type }) => type).sort()).toEqual([
        'AssistantKnowledgebaseChanged',
        'AssistantLabelled',
        'AssistantMovedToFolder',
      ]);
      expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set(['forget-deleted']));
    }
  });
  for (const id of ids) expect(await getAssistant(other, id)).toMatchObject({ label_ids: [second] });
});

test('an assistant cannot be put into what is deleted, and can still be changed otherwise', async () => {
  const [api] = accountApis(await freshAccount());
  const own = await folder(api, 'Sales');
  const id = await createAssistant(api, { folder_id: own });
  await api.delete(`/api/user/folder/${own}`);
  expect((await api.put(`/api/user/assistant/${id}`, { folder_id: own })).body).toMatchObject({
    errors: { folder_id: ['The selected folder id is invalid.'] },
  });
  expect((await api.put(`/api/user/assistant/${id}`, { name: 'Free' })).status).toBe(200);
  expect(await getAssistant(api, id)).toMatchObject({ name: 'Free', folder_id: null });
});

test('of assignments that race a deletion none is left pointing at what is gone', async () => {
  const [api, other] = accountApis(await freshAccount());
  for (let round = 0; round < 5; round += 1) {
    const [own, spare] = [await folder(api, `Sales ${round}`), await folder(api, `Spare ${round}`)];
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => createAssistant(api, { folder_id: spare })),
    );
    const moves = ids.map((id, n) =>
      (n % 2 ? api : other).put(`/api/user/assistant/${id}`, { folder_id: own }),
    );
    const deleted = await other.delete(`/api/user/folder/${own}`);
    expect(deleted.status).toBe(200);
    const moved = await Promise.all(moves);
    for (const [index, { status }] of moved.entries()) {
      const { folder_id } = await getAssistant(api, ids[index] ?? 0);
      expect([status, folder_id]).toEqual(status === 200 ? [200, null] : [422, spare]);
    }
    const stayed = moved.filter(({ status }) => status === 422).length;
    expect(await counts(api, 'folders')).toMatchObject({ [`Spare ${round}`]: stayed });
  }
});
