import {
  createKnowledgebase,
  getKnowledgebase,
  listKnowledgebases,
  updateKnowledgebase,
} from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';

const path = '/api/user/knowledgebases';
const dataOf = (body: unknown) => (body as { data: { id: number; updated_at: string } }).data;

test('a knowledgebase is created, changed, read, listed and deleted', async () => {
  const [api, other] = accountApis(await freshAccount());
  const created = await api.post(path, { name: 'Prices', description: 'What it costs' });
  expect(created.status).toBe(201);
  createKnowledgebase.success.schema.parse(created.body);
  const first = dataOf(created.body);
  expect(created.body).toEqual({
    message: 'Knowledgebase created successfully',
    data: {
      id: first.id,
      name: 'Prices',
      description: 'What it costs',
      status: 'active',
      status_label: 'Active',
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
    },
  });
  const read = await other.get(`${path}/${first.id}`);
  getKnowledgebase.success.schema.parse(read.body);
  expect(read.body).toEqual({ data: first });
  expect(read.headers.etag).toBe('"1"');

  const renamed = await other.put(`${path}/${first.id}`, { name: 'Price list' });
  updateKnowledgebase.success.schema.parse(renamed.body);
  expect(renamed).toMatchObject({ status: 200, body: { message: 'Knowledgebase updated successfully' } });
  expect(dataOf(renamed.body)).toEqual({
    ...first,
    name: 'Price list',
    updated_at: expect.not.stringMatching(first.updated_at),
  });
  const cleared = await api.put(`${path}/${first.id}`, { description: null });
  expect(dataOf(cleared.body)).toMatchObject({ name: 'Price list', description: '' });
  const unchanged = await api.put(`${path}/${first.id}`, { name: 'Price list' });
  expect(dataOf(unchanged.body)).toEqual(dataOf(cleared.body));

  const second = dataOf((await api.post(path, { name: 'Hours' })).body);
  const listed = await other.get(path);
  listKnowledgebases.success.schema.parse(listed.body);
  expect(listed.body).toEqual({ data: [second, dataOf(cleared.body)] });

  expect(await api.delete(`${path}/${first.id}`)).toMatchObject({
    status: 200,
    body: { message: 'Knowledgebase deleted successfully' },
  });
  expect((await other.get(path)).body).toEqual({ data: [second] });
  for (const answer of [
    await other.get(`${path}/${first.id}`),
    await other.put(`${path}/${first.id}`, { name: 'Again' }),
    await other.delete(`${path}/${first.id}`),
  ])
    expect([answer.status, answer.text]).toEqual([404, '{"error":"Knowledgebase not found"}']);
});

test('what is wrong is said by field, in the shape of a validation failure', async () => {
  const [api] = accountApis(await freshAccount());
  const { id } = dataOf((await api.post(path, { name: 'Prices' })).body);
  const fieldsOf = async (body: object) => {
    const answers = [await api.post(path, { name: 'x', ...body }), await api.put(`${path}/${id}`, body)];
    for (const { status, body: answer } of answers)
      expect([status, answer]).toEqual([
        422,
        { message: 'The given data was invalid.', errors: expect.any(Object) },
      ]);
    return answers.map(({ body: answer }) => Object.keys((answer as { errors: object }).errors).join());
  };
  expect(await fieldsOf({ name: 'x'.repeat(256) })).toEqual(['name', 'name']);
  expect(await fieldsOf({ name: '' })).toEqual(['name', 'name']);
  expect(await fieldsOf({ description: 'x'.repeat(256) })).toEqual(['description', 'description']);
  expect((await api.post(path, {})).body).toEqual({
    message: 'The given data was invalid.',
    errors: { name: ['The name field is required.'] },
  });
  expect((await api.post(path, { name: 'x'.repeat(255), description: '🏢'.repeat(255) })).status).toBe(201);
});

test('errors before validation have the shape of knowledgebases', async () => {
  const [api] = accountApis(await freshAccount());
  const malformed = await api.call('POST', path, { raw: '{' });
  expect([malformed.status, Object.keys(malformed.body as object)]).toEqual([400, ['error']]);
  const type = await api.call('POST', path, { raw: '{}', headers: { 'content-type': 'text/plain' } });
  expect([type.status, Object.keys(type.body as object)]).toEqual([415, ['error']]);
});
