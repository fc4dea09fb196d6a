import { validate, version } from 'uuid';
import { expect, test } from 'vitest';
import { newId } from './new-id.ts';

test('a new id is a uuid of version 7, unlike any other', () => {
  const ids = Array.from({ length: 2000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(validate(id) && version(id) === 7, id).toBe(true);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  expect(last.slice(0, 11) >= first.slice(0, 11)).toBe(true);
});
