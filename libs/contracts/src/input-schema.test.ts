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
  expect(inputSchemaOf(updateFolder).safeParse({ id: '12' }).success).toBe(false);
  expect(inputSchemaOf(updateFolder).parse({ id: 1, user_id: 2 })).toEqual({ id: 1 });
});

test('every operation has an input schema', () => {
  for (const operation of operations) expect(() => inputSchemaOf(operation)).not.toThrow();
});
