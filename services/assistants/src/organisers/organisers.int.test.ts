import { randomUUID } from 'node:crypto';
import {
  createFolder,
  createLabel,
  deleteFolder,
  deleteLabel,
  listFolders,
  listLabels,
  updateFolder,
  updateLabel,
} from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { bodyOf, freshAccount } from '../callers.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

const asAccount = () => freshAccount(copies);
const taken = {
  kind: 'rejected',
  rejection: { code: 'invalid', fields: { name: ['The name has already been taken.'] } },
};
const notFound = { kind: 'rejected', rejection: { code: 'not_found' } };
const hostileName = '"\\ \u0001\t\u2028 \u202e <b>東京</b> 🏢 $1 {{1}} \' or 1=1';

describe.each([
  {
    noun: 'Folder',
    view: 'view_folders_v2',
    create: createFolder,
    update: updateFolder,
    remove: deleteFolder,
    list: listFolders,
    defaultColor: null,
  },
  {
    noun: 'Label',
    view: 'view_labels_v3',
    create: createLabel,
    update: updateLabel,
    remove: deleteLabel,
    list: listLabels,
    defaultColor: 'gray',
  },
])('$noun', ({ noun, view, create, update, remove, list, defaultColor }) => {
  test('an answer and the list show the same bytes, whatever the name', async () => {
    const send = asAccount();
    const created = await send(create, { name: hostileName, color: 'teal' });
    const { message, data } = bodyOf(created);
    expect(message).toBe(`${noun} created successfully`);
    expect(data).toEqual({ id: expect.any(Number), name: hostileName, color: 'teal', assistants_count: 0 });
    expect(await send(list, {})).toEqual({
      kind: 'ok',
      body: `{"data":[${JSON.stringify(data)}],"current_page":1,"per_page":15,"total":1}`,
    });
    const updated = await send(update, { id: data.id, name: `${hostileName}!`, color: null });
    const after = bodyOf(updated).data;
    expect(after).toEqual({ ...data, name: `${hostileName}!`, color: defaultColor });
    expect(bodyOf(await send(list, {})).data).toEqual([after]);
    expect(await send(list, {})).toMatchObject({ body: expect.stringContaining(JSON.stringify(after)) });
  });

  test('of 100 concurrent creates of one name over two copies one wins, and there is one row', async () => {
    const send = asAccount();
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(create, { name: 'Sales' })));
    expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    for (const reply of replies) if (reply.kind === 'rejected') expect(reply).toEqual(taken);
    const { rows } = await copies.pool.query(`select body from ${view}.items where account_id = $1`, [
      send.accountId,
    ]);
    expect(rows).toHaveLength(1);
    expect(bodyOf(await send(list, {}))).toMatchObject({ total: 1 });
  });

  test('of many concurrent renames onto one name one wins', async () => {
    const send = asAccount();
    const ids: number[] = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => bodyOf(await send(create, { name: `n${n}` })).data.id),
    );
    const replies = await Promise.all(ids.map((id) => send(update, { id, name: 'Sales' })));
    expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    for (const reply of replies) if (reply.kind === 'rejected') expect(reply).toEqual(taken);
    const names = bodyOf(await send(list, { per_page: 100 })).data.map(({ name }: { name: string }) => name);
    expect(names.filter((name: string) => name === 'Sales')).toHaveLength(1);
  });

  test('renaming and deleting free the name; another account never sees it', async () => {
    const [send, other] = [asAccount(), asAccount()];
    const { data } = bodyOf(await send(create, { name: 'Sales' }));
    expect(await send(create, { name: 'Sales' })).toEqual(taken);
    expect(bodyOf(await other(create, { name: 'Sales' }))).toMatchObject({ data: { name: 'Sales' } });
    expect(bodyOf(await send(update, { id: data.id, name: 'Leads' }))).toMatchObject({
      message: `${noun} updated successfully`,
    });
    const second = bodyOf(await send(create, { name: 'Sales' })).data;
    expect(await send(update, { id: data.id, name: 'Sales' })).toEqual(taken);
    expect(bodyOf(await send(remove, { id: second.id }))).toEqual({
      message: `${noun} deleted successfully`,
    });
    expect(bodyOf(await send(update, { id: data.id, name: 'Sales' })).data.name).toBe('Sales');
    expect(bodyOf(await send(list, {}))).toMatchObject({ data: [{ id: data.id, name: 'Sales' }], total: 1 });
  });

  test('unknown, foreign and deleted are the same answer, and a foreign one stays as it is', async () => {
    const [send, other] = [asAccount(), asAccount()];
    const { data } = bodyOf(await send(create, { name: 'Sales' }));
    for (const id of [data.id, 999_999_999, Number.MAX_SAFE_INTEGER]) {
      expect(await other(update, { id, name: 'Mine' })).toEqual(notFound);
      expect(await other(update, { id, name: 'Mine' }, { expectedVersion: 7 })).toEqual(notFound);
      expect(await other(remove, { id })).toEqual(notFound);
    }
    expect(bodyOf(await send(list, {})).data).toEqual([data]);
    await send(remove, { id: data.id });
    expect(await send(update, { id: data.id, name: 'Again' })).toEqual(notFound);
    expect(await send(remove, { id: data.id })).toEqual(notFound);
  });

  test('identical values succeed and leave no event', async () => {
    const send = asAccount();
    const created = await send(create, { name: 'Sales', color: 'red' });
    const { data } = bodyOf(created);
    const updated = await send(update, { id: data.id, name: 'Sales', color: 'red' });
    expect(bodyOf(updated)).toEqual({ message: `${noun} updated successfully`, data });
    expect(updated).toMatchObject({ kind: 'ok', version: 1 });
    expect(await send(update, { id: data.id })).toMatchObject({ kind: 'ok', version: 1 });
  });

  test('If-Match lets a change through at the version it names only', async () => {
    const send = asAccount();
    const created = await send(create, { name: 'Sales' });
    const { id } = bodyOf(created).data;
    expect(created).toMatchObject({ version: 1 });
    const rename = (name: string, expectedVersion: number) => send(update, { id, name }, { expectedVersion });
    expect(await rename('Leads', 1)).toMatchObject({ kind: 'ok', version: 2 });
    expect(await rename('Late', 1)).toEqual({ kind: 'rejected', rejection: { code: 'version_mismatch' } });
    expect(bodyOf(await send(list, {})).data[0].name).toBe('Leads');
  });

  test('a repeated command is effective once and answered with the same bytes', async () => {
    const send = asAccount();
    const context = { commandId: randomUUID(), fingerprint: 'f'.repeat(64) };
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => send(create, { name: 'Sales' }, context)),
    );
    const [first] = replies;
    for (const reply of replies) expect(bodyOf(reply)).toEqual(bodyOf(first ?? reply));
    const again = await send(create, { name: 'Sales' }, context);
    expect(again).toMatchObject({ kind: 'ok', replayed: true, version: 1 });
    expect(new Set([...replies, again].map((reply) => reply.kind === 'ok' && reply.body)).size).toBe(1);
    expect(await send(create, { name: 'Other' }, { ...context, fingerprint: 'e'.repeat(64) })).toEqual({
      kind: 'rejected',
      rejection: expect.objectContaining({ code: 'idempotency_key_reuse' }),
    });
    expect(bodyOf(await send(list, {})).total).toBe(1);
  });

  test('lists come in pages, newest first, with the total', async () => {
    const send = asAccount();
    const names = Array.from({ length: 23 }, (_, n) => `n${n}`);
    for (const name of names) await send(create, { name });
    const newestFirst = names.toReversed();
    const page = async (query: object) => {
      const { data, ...rest } = bodyOf(await send(list, query));
      return { names: data.map(({ name }: { name: string }) => name), ...rest };
    };
    expect(await page({})).toEqual({
      names: newestFirst.slice(0, 15),
      current_page: 1,
      per_page: 15,
      total: 23,
    });
    expect(await page({ page: 2 })).toEqual({
      names: newestFirst.slice(15),
      current_page: 2,
      per_page: 15,
      total: 23,
    });
    expect(await page({ per_page: 23 })).toMatchObject({ names: newestFirst, total: 23 });
    expect(await page({ page: 1_000_000, per_page: 100 })).toMatchObject({ names: [], total: 23 });
    expect(await asAccount()(list, {})).toEqual({
      kind: 'ok',
      body: '{"data":[],"current_page":1,"per_page":15,"total":0}',
    });
  });

  test('every copy reads a change from the moment it is answered', async () => {
    const send = asAccount();
    for (let n = 0; n < 50; n += 1) {
      const { data } = bodyOf(await send(create, { name: `n${n}` }));
      expect(bodyOf(await send(list, { per_page: 1 }))).toMatchObject({ data: [data], total: n + 1 });
    }
  });

  test('what does not fit the contract is rejected with its fields, whoever sends it', async () => {
    const send = asAccount();
    const attempts = [{}, { name: '' }, { name: 7 }, { name: 'x'.repeat(256) }, { name: 'a\u0000' }];
    for (const payload of attempts)
      expect(await send(create, payload)).toMatchObject({
        kind: 'rejected',
        rejection: { code: 'invalid', fields: { name: [expect.any(String)] } },
      });
    expect(await send(create, { name: 'x', color: 'mauve' })).toMatchObject({
      rejection: { fields: { color: [expect.any(String)] } },
    });
    expect(await send(create, { name: 'x' }, { accountId: null })).toEqual({
      kind: 'rejected',
      rejection: { code: 'unauthorized' },
    });
  });
});
