import { createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findNumbersByPhone } from './number-queries.ts';
import { numbersTable, numbersView } from './numbers-view.ts';

let store: PostgresEventStore;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  ({ drop } = database);
  const inlineProjector = createInlineProjector([numbersView]);
  store = await createPostgresEventStore({ connectionString: database.url, inlineProjector });
  await prepareProjections(store.pool, [numbersView]);
  const at = (time: string) => `2026-11-21T${time}.000Z`;
  const rows = [
    { id: 1, account_id: 1, phone_number: '+14155550101', status: 'gone', created_at: at('08:00:00') },
    { id: 2, account_id: 2, phone_number: '+14155550101', status: 'active', created_at: at('09:00:00') },
    { id: 3, account_id: 3, phone_number: '+14155550102', status: 'active', created_at: at('09:00:00') },
    { id: 4, account_id: 4, phone_number: '+14155550103', status: 'gone', created_at: at('08:00:00') },
    { id: 5, account_id: 4, phone_number: '+14155550103', status: 'active', created_at: at('09:00:00') },
  ];
  await store.pool.query({
    text: `insert into ${numbersTable} select r.* from jsonb_populate_recordset(null::${numbersTable}, $1::jsonb) r`,
    values: [JSON.stringify(rows.map((row) => ({ ...row, kind: 'normal' })))],
  });
});
afterAll(async () => {
  await store?.close();
  await drop?.();
});

test.each([
  ['the owner of today', '+14155550101', '09:30:00', [2]],
  ['the owner of today, whose clock is ahead', '+14155550101', '08:59:30', [2]],
  ['nobody, when it was another account’s then', '+14155550101', '08:30:00', []],
  ['the only owner it ever had', '+14155550102', '08:30:00', [3]],
  ['the account that gave it up and got it again', '+14155550103', '08:30:00', [5]],
])('a call to a number is one to %s', async (_, phone, time, ids) => {
  const calledAt = `2026-11-21T${time}.000Z`;
  const found = await findNumbersByPhone(store.pool, { phone, calledAt });
  expect(found.map(({ id }) => id)).toEqual(ids);
});
