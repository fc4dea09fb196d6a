import { expect, test } from 'vitest';
import { renderPage, windowOf } from './paginator.ts';

const pages = (page: number, lastPage: number): string =>
  windowOf(page, lastPage)
    .map((each) => (each === 'gap' ? '...' : String(each)))
    .join(' ');

test('few pages all have a link', () => {
  expect(pages(1, 1)).toBe('1');
  expect(pages(7, 13)).toBe('1 2 3 4 5 6 7 8 9 10 11 12 13');
});

test('of many pages both ends have links, and those around the present one', () => {
  expect(pages(1, 14)).toBe('1 2 3 4 5 6 7 8 9 10 ... 13 14');
  expect(pages(7, 100)).toBe('1 2 3 4 5 6 7 8 9 10 ... 99 100');
  expect(pages(8, 100)).toBe('1 2 ... 5 6 7 8 9 10 11 ... 99 100');
  expect(pages(93, 100)).toBe('1 2 ... 90 91 92 93 94 95 96 ... 99 100');
  expect(pages(94, 100)).toBe('1 2 ... 91 92 93 94 95 96 97 98 99 100');
  expect(pages(100, 100)).toBe('1 2 ... 91 92 93 94 95 96 97 98 99 100');
});

test('a page beyond the last is empty and leads back', () => {
  const page = JSON.parse(
    renderPage({ items: '', taken: 0, total: 5, url: 'http://x/a', page: 9, perPage: 10 }),
  );
  expect(page).toMatchObject({
    current_page: 9,
    data: [],
    from: null,
    to: null,
    last_page: 1,
    next_page_url: null,
    prev_page_url: 'http://x/a?page=8',
    total: 5,
  });
});

test('the page size is in every link unless it is the usual one', () => {
  const page = JSON.parse(
    renderPage({ items: '1,2', taken: 2, total: 5, url: 'http://x/a', page: 2, perPage: 2 }),
  );
  expect(page).toMatchObject({
    data: [1, 2],
    from: 3,
    to: 4,
    first_page_url: 'http://x/a?per_page=2&page=1',
    last_page_url: 'http://x/a?per_page=2&page=3',
    path: 'http://x/a',
  });
});

test('a gap between the pages leads nowhere', () => {
  const { links } = JSON.parse(
    renderPage({ items: '', taken: 0, total: 990, url: 'http://x/a', page: 1, perPage: 10 }),
  );
  expect(links).toContainEqual({ url: null, label: '...', active: false });
});
