import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, rowsRead, vacuum } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leadCampaignsTable, leadsTable, leadsView } from './leads-view.ts';
import { createLeadLists, type PageOfLeads } from './list-leads.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  // One connection, whose statistics tell of all that is read.
  store = await createTestStore([leadsView], { maxConnections: 1 });
  await store.pool.query(`
    insert into ${leadsTable} (
      id, account_id, campaign_id, created_position, phone_number, variables, secondary_contacts,
      status, created_at, updated_at, is_in_flight
    )
    select n, 1 + n % 2, n % 6, n, '+49151' || n, '{}', '[]',
      case n % 10 when 0 then 'failed' else 'created' end, '2026-11-23 08:00:00', '2026-11-23 08:00:00', false
    from generate_series(1, 4000) n`);
  await store.pool.query(
    `insert into ${leadCampaignsTable} (id, name_json) select n, '"Spring"' from generate_series(0, 5) n`,
  );
  await vacuum(store.pool, leadsTable);
});
afterEach(() => store.close());

async function page(asked: Partial<PageOfLeads>) {
  const all = { accountId: 1, campaignId: undefined, status: undefined, page: 1, perPage: 20 };
  const { data, total } = JSON.parse(await createLeadLists(store.pool)({ ...all, ...asked }));
  return { ids: data.map(({ id }: { id: number }) => id), total };
}

test('pages go through all leads, and each knows how many there are', async () => {
  expect(await page({ perPage: 3 })).toEqual({ ids: [4000, 3998, 3996], total: 2000 });
  expect(await page({ perPage: 3, page: 667 })).toEqual({ ids: [4, 2], total: 2000 });
  expect(await page({ perPage: 3, page: 668 })).toEqual({ ids: [], total: 2000 });
  expect(await page({ perPage: 2, status: 'failed' })).toEqual({ ids: [4000, 3990], total: 400 });
  expect(await page({ perPage: 2, campaignId: 4 })).toEqual({ ids: [4000, 3994], total: 667 });
  expect(await page({ perPage: 2, campaignId: 4, status: 'failed' })).toEqual({
    ids: [4000, 3970],
    total: 134,
  });
  expect(await page({ campaignId: 3 })).toEqual({ ids: [], total: 0 });
});

test('a page reads its own leads, however many there are before it and besides', async () => {
  const before = await rowsRead(store.pool, leadsTable);
  await page({});
  await page({ page: 90 });
  await page({ status: 'failed' });
  await page({ campaignId: 4, page: 20 });
  await page({ status: 'failed' });
  await page({ campaignId: 4, page: 20 });
  await page({ campaignId: 4, status: 'failed' });
  expect((await rowsRead(store.pool, leadsTable)) - before).toBeLessThan(150);
});
