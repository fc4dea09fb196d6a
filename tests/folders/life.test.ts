import {
  createFolder,
  createLabel,
  listFolders,
  listLabels,
  updateFolder,
  updateLabel,
} from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';

const dataOf = (body: unknown) => (body as { data: { id: number } }).data;

test.each([
  {
    one: 'folder',
    many: 'folders',
    noun: 'Folder',
    defaultColor: null,
    operations: { create: createFolder, update: updateFolder, list: listFolders },
  },
  {
    one: 'label',
    many: 'labels',
    noun: 'Label',
    defaultColor: 'gray',
    operations: { create: createLabel, update: updateLabel, list: listLabels },
  },
])('a $one is created, renamed, recolored, cleared, listed and deleted', async (kind) => {
  const { one, many, noun, defaultColor, operations } = kind;
  const [api, otherGateway] = accountApis(await freshAccount());
  const created = await api.post(`/api/user/${one}`, { name: 'Sales', color: 'teal' });
  expect(created.status).toBe(201);
  operations.create.success.schema.parse(created.body);
  const { id } = dataOf(created.body);
  expect(created.body).toEqual({
    message: `${noun} created successfully`,
    data: { id, name: 'Sales', color: 'teal', assistants_count: 0 },
  });

  const renamed = await otherGateway.put(`/api/user/${one}/${id}`, { name: 'Sales Europe' });
  operations.update.success.schema.parse(renamed.body);
  expect(dataOf(renamed.body)).toEqual({ id, name: 'Sales Europe', color: 'teal', assistants_count: 0 });
  const cleared = await api.put(`/api/user/${one}/${id}`, { color: null });
  expect(dataOf(cleared.body)).toEqual({
    id,
    name: 'Sales Europe',
    color: defaultColor,
    assistants_count: 0,
  });

  const listed = await otherGateway.get(`/api/user/${many}`);
  operations.list.success.schema.parse(listed.body);
  expect(listed.body).toEqual({ data: [dataOf(cleared.body)], current_page: 1, per_page: 15, total: 1 });

  expect(await api.delete(`/api/user/${one}/${id}`)).toMatchObject({
    status: 200,
    body: { message: `${noun} deleted successfully` },
  });
  expect((await otherGateway.get(`/api/user/${many}`)).body).toMatchObject({ data: [], total: 0 });
  expect(await api.put(`/api/user/${one}/${id}`, { name: 'Gone' })).toMatchObject({
    status: 404,
    body: { message: `${noun} not found` },
  });
});

test('every page is as long as asked, newest first, and the pages together hold everything once', async () => {
  const [api] = accountApis(await freshAccount());
  for (let n = 0; n < 7; n += 1) await api.post('/api/user/folder', { name: `F${n}` });
  const pages = await Promise.all(
    [1, 2, 3, 4].map(async (page) => (await api.get(`/api/user/folders?page=${page}&per_page=3`)).body),
  );
  const names = pages.map((page) => (page as { data: { name: string }[] }).data.map(({ name }) => name));
  expect(names).toEqual([['F6', 'F5', 'F4'], ['F3', 'F2', 'F1'], ['F0'], []]);
  for (const page of pages) expect(page).toMatchObject({ total: 7, per_page: 3 });
});

test('a change carries its position and version, and If-Match refuses a version that has passed', async () => {
  const [api] = accountApis(await freshAccount());
  const created = await api.post('/api/user/folder', { name: 'Versioned' });
  const { id } = dataOf(created.body);
  expect(created.headers['x-event-position']).toBeTruthy();
  const version = String(created.headers.etag);
  const first = await api.put(`/api/user/folder/${id}`, { name: 'One' }, { 'if-match': version });
  expect(first.status).toBe(200);
  expect(first.headers.etag).not.toBe(version);
  const second = await api.put(`/api/user/folder/${id}`, { name: 'Two' }, { 'if-match': version });
  expect(second.status).toBe(412);
});
