import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, rowsRead, vacuum } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isOnCall, listCalls, type PageOfCalls, unpaidMinutes } from './call-queries.ts';
import { callsTable, callsView } from './calls-view.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  // One connection, whose statistics tell of all that is read.
  store = await createTestStore([callsView], { maxConnections: 1 });
  await store.pool.query(`
    insert into ${callsTable} (id, account_id, created_position, version, item)
    select n, 1 + n % 2, n, 1, jsonb_build_object('id', n, 'room', 'room-' || n, 'direction', 'inbound',
      'status', case n % 10 when 0 then 'failed' else 'completed' end, 'assistant_id', n % 6)
    from generate_series(1, 4000) n`);
  await vacuum(store.pool, callsTable);
});
afterEach(() => store.close());

async function page(asked: Partial<PageOfCalls>) {
  const all = { accountId: 1, assistantId: null, direction: null, status: null, page: 1, perPage: 20 };
  const { data, total } = JSON.parse(await listCalls(store.pool, { ...all, ...asked }));
  return { ids: data.map(({ id }: { id: number }) => id), total };
}

test('pages go through all calls, and each knows how many there are', async () => {
  expect(await page({ perPage: 3 })).toEqual({ ids: [4000, 3998, 3996], total: 2000 });
  expect(await page({ perPage: 3, page: 2 })).toEqual({ ids: [3994, 3992, 3990], total: 2000 });
  expect(await page({ perPage: 3, page: 667 })).toEqual({ ids: [4, 2], total: 2000 });
  expect(await page({ perPage: 3, page: 668 })).toEqual({ ids: [], total: 2000 });
  expect(await page({ perPage: 2, status: 'failed' })).toEqual({ ids: [4000, 3990], total: 400 });
  expect(await page({ perPage: 2, status: 'failed', assistantId: 4 })).toEqual({
    ids: [4000, 3970],
    total: 134,
  });
  expect(await page({ direction: 'outbound' })).toEqual({ ids: [], total: 0 });
  expect(await page({ accountId: 3 })).toEqual({ ids: [], total: 0 });
});

test('a page reads its own calls, however many there are before it and besides', async () => {
  const before = await rowsRead(store.pool, callsTable);
  await page({});
  await page({ page: 90, perPage: 20 });
  await page({ status: 'failed', page: 3 });
  expect((await rowsRead(store.pool, callsTable)) - before).toBeLessThan(100);
});

test('whoever an account calls, or speaks with, is on a call of it, by whichever spelling of their line', async () => {
  const calls = [
    [3900, '+5511987654321', 'queued'],
    [3950, '+4930901820', 'in_progress'],
    [3960, '+4930901821', 'completed'],
  ];
  for (const values of calls)
    await store.pool.query(
      `update ${callsTable} set item = item || jsonb_build_object('customer_phone', $2::text, 'status', $3::text, 'created_at', es.now())
       where id = $1`,
      values,
    );
  await vacuum(store.pool, callsTable);
  const before = await rowsRead(store.pool, callsTable);
  const isOn = (phoneNumber: string, accountId = 1) => isOnCall(store.pool, { accountId, phoneNumber });
  for (const phone of ['+5511987654321', '+551187654321', '+4930901820'])
    expect(await isOn(phone)).toBe(true);
  for (const phone of ['+4930901821', '+4930901822']) expect(await isOn(phone)).toBe(false);
  expect(await isOn('+4930901820', 2)).toBe(false);
  expect((await rowsRead(store.pool, callsTable)) - before).toBeLessThan(100);
});

test('a call goes on however many began after it, and no longer than a call can last', async () => {
  await store.pool.query(`
    insert into ${callsTable} (id, account_id, created_position, version, item)
    select n, 1, n, 1, jsonb_build_object('room', 'room-' || n, 'direction', 'outbound', 'customer_phone',
      '+4930' || (900000 + n), 'status', case when n < 4003 then 'in_progress' else 'completed' end, 'created_at',
      es.now() - case n when 4001 then interval '1 day' else interval '20 minutes' end)
    from generate_series(4001, 8000) n`);
  const isOn = (phoneNumber: string) => isOnCall(store.pool, { accountId: 1, phoneNumber });
  expect(await isOn('+4930904001')).toBe(false);
  expect(await isOn('+4930904002')).toBe(true);
  expect(await isOn('+4930904003')).toBe(false);
});

test('what nobody has paid yet is the begun minutes of the calls that came in before, and go on', async () => {
  await store.pool.query(`
    insert into ${callsTable} (id, account_id, created_position, version, item)
    select id, account_id, 5000 - id % 100, 1, jsonb_build_object('room', id, 'direction', direction, 'status', status,
      'assistant_id', assistant, 'created_at', es.now() - ago * interval '1 second')
    from (values
      (4001, 1, 'inbound', 'in_progress', 12, 0), (4002, 1, 'inbound', 'in_progress', 12, 65),
      (4003, 1, 'inbound', 'in_progress', 13, 50), (4004, 1, 'inbound', 'completed', 12, 600),
      (4005, 1, 'outbound', 'in_progress', 12, 600), (4006, 1, 'inbound', 'in_progress', null, 600),
      (4007, 2, 'inbound', 'in_progress', 12, 590), (4008, 1, 'inbound', 'in_progress', 12, 90000)
    ) calls (id, account_id, direction, status, assistant, ago)`);
  const unpaid = (before: number, accountId = 1) => unpaidMinutes(store.pool, { accountId, before });
  // Recorded in the order of their ids from the last one on.
  expect(await Promise.all([unpaid(4003), unpaid(4002), unpaid(4001)])).toEqual([0, 1, 3]);
  expect(await unpaid(4007, 2)).toBe(0);
});
