import { expect, test } from 'vitest';
import {
  createConnection,
  explainSend,
  inputSchemaOf,
  listFolders,
  operations,
  updateAssistant,
  updateAutomation,
  updateFolder,
} from '../index.ts';

test('a service takes the gateway’s parsed input as it is', () => {
  expect(inputSchemaOf(updateFolder).parse({ id: 12, name: 'Leads', color: null })).toEqual({
    id: 12,
    name: 'Leads',
    color: null,
  });
  expect(inputSchemaOf(listFolders).parse({ page: 2, per_page: 100 })).toEqual({ page: 2, per_page: 100 });
});

test('defaults hold for a caller that is no gateway', () => {
  expect(inputSchemaOf(listFolders).parse({})).toEqual({ page: 1, per_page: 15 });
});

test('a service checks the limits again and drops what it does not know', () => {
  expect(inputSchemaOf(listFolders).safeParse({ per_page: 101 }).success).toBe(false);
  expect(inputSchemaOf(updateFolder).parse({ id: 1, user_id: 2 })).toEqual({ id: 1 });
});

test('a service checks again what fields ask of one another', () => {
  const create = (fields: object) =>
    inputSchemaOf(createConnection).safeParse({ name: 'CRM', secret: 'token', ...fields });
  expect(create({ kind: 'http_bearer' }).success).toBe(true);
  expect(create({ kind: 'http_header' }).error?.issues).toMatchObject([{ path: ['header'] }]);
  expect(inputSchemaOf(updateAutomation).safeParse({ id: '1' }).error?.issues).toMatchObject([
    { path: ['flow'] },
  ]);
});

test('the names of path parameters, query and body never collide', () => {
  for (const { params, query, body, name } of operations) {
    const keys = [params, query, body].flatMap((part) => Object.keys(part?.shape ?? {}));
    expect(new Set(keys).size, name).toBe(keys.length);
  }
});

test('a number that is shown as text may be sent back as it is, and other text may not', () => {
  const read = (speech_speed: unknown) =>
    updateAssistant.body.shape.speech_speed.safeParse(speech_speed).data;
  expect(read('1.00')).toBe(1);
  expect(read(1)).toBe(1);
  for (const text of ['fast', '', '1e0', '+1']) expect(read(text)).toBeUndefined();
});

test('a plus sign that a query string turned into a space is one again', () => {
  const { recipient_phone } = explainSend.query.shape;
  expect(recipient_phone.parse(' 491701234567')).toBe('+491701234567');
  expect(recipient_phone.safeParse(['+491701234567']).success).toBe(false);
});
