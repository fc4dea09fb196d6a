import { expect, test } from 'vitest';
import { itemsBefore, pageBody } from './page.ts';

const wanted = { page: 3, perPage: 20 };

test('a page begins behind those before it, and says which one it is and how much there is', () => {
  expect(itemsBefore(wanted)).toBe(40);
  expect(JSON.parse(pageBody(wanted, { items: '{"id":9},{"id":7}', total: 42 }))).toEqual({
    data: [{ id: 9 }, { id: 7 }],
    current_page: 3,
    per_page: 20,
    total: 42,
  });
});

test('a page of nothing is empty', () =>
  expect(JSON.parse(pageBody(wanted))).toMatchObject({ data: [], total: 0 }));
