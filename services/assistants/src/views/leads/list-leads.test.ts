import type { SqlExecutor } from '@parley/event-store';
import { expect, test } from 'vitest';
import { createLeadLists } from './list-leads.ts';

test('of many pages that are asked for at once a few are in memory at a time', async () => {
  const pagesOf: number[] = [];
  const sql = {
    async query({ values }: { values: readonly (readonly number[])[] }) {
      const accounts = values[0] ?? [];
      pagesOf.push(accounts.length);
      return { rows: accounts.map((id) => ({ items: `{"id":${id}}`, total: 1 })), rowCount: accounts.length };
    },
  } as unknown as SqlExecutor;
  const list = createLeadLists(sql);
  const accounts = Array.from({ length: 30 }, (_, index) => index + 1);
  const page = { campaignId: undefined, status: undefined, page: 1, perPage: 100 };
  const bodies = await Promise.all(accounts.map((accountId) => list({ ...page, accountId })));
  expect(bodies.map((body) => JSON.parse(body).data[0].id)).toEqual(accounts);
  expect(Math.max(...pagesOf)).toBeLessThanOrEqual(4);
});
