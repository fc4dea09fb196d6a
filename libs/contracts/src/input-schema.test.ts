import { expect, test } from 'vitest';
import { inputSchemaOf, listFolders, operations, updateFolder } from './index.ts';

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

test('the names of path parameters, query and body never collide', () => {
  for (const { params, query, body, name } of operations) {
    const keys = [params, query, body].flatMap((part) => Object.keys(part?.shape ?? {}));
    expect(new Set(keys).size, name).toBe(keys.length);
  }
});
