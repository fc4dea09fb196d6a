import { expect, test } from 'vitest';
import { pageOf } from './graph-page.ts';

const items = Array.from({ length: 7 }, (_, index) => index);
const page = (query: Record<string, unknown>) =>
  pageOf(items, { baseUrl: 'http://127.0.0.1:3900', url: '/v23.0/1/templates', query });

test('pages follow one another by their cursors, until there is no next', () => {
  const first = page({ limit: '5' });
  expect(first).toMatchObject({ data: [0, 1, 2, 3, 4], paging: { next: expect.stringContaining('after=') } });
  const rest = page({ limit: '5', after: first?.paging?.cursors.after });
  expect(rest?.data).toEqual([5, 6]);
  expect(rest?.paging).not.toHaveProperty('next');
  expect(page({ after: rest?.paging?.cursors.after })).toEqual({ data: [] });
});

test('a page has 25 items unless it is asked for less, and a cursor of others leads nowhere', () => {
  expect(page({})?.data).toHaveLength(7);
  for (const limit of ['0', '-1', 'x']) expect(page({ limit })?.data.length).toBeGreaterThan(0);
  expect(page({ after: 'nonsense' })).toBeNull();
});
