import type { NumberEvent, SipTrunkEvent } from '@parley/contracts';
import { createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { createInlineProjector, prepareProjections } from '@parley/processing';
import { createTestDatabase, createTestStore, golden, rowsRead, testMetadata, vacuum } from '@parley/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  findNumber,
  findNumberOfCommand,
  findNumbersByPhone,
  isTaken,
  listAssignable,
  listOwnNumbers,
} from './number-queries.ts';
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

test('no inbound assistant can have a number that is for SMS alone', async () => {
  const accountId = 8;
  const record = (streamId: string, ...events: readonly (NumberEvent | SipTrunkEvent)[]) =>
    store.append({
      ...{ streamId, category: streamId.slice(0, -3), accountId, metadata: testMetadata },
      ...{ events, expectedVersion: 0 },
    });
  const [bought] = golden<NumberEvent>('NumberPurchased.v1');
  if (!bought) throw new Error('The golden file holds it.');
  await record('number-81', ...golden<NumberEvent>('NumberPurchaseRequested.v2'), bought);
  await record('number-82', ...golden<NumberEvent>('NumberPurchaseRequested.v1'), bought);
  await record('sip-trunk-83', ...golden<SipTrunkEvent>('SipTrunkCreated.v1'));
  const takesCalls = async (id: number) => (await findNumber(store.pool, { accountId, id }))?.takes_calls;
  expect([await takesCalls(81), await takesCalls(82), await takesCalls(83)]).toEqual([false, true, true]);
  const assignable = await listAssignable(store.pool, accountId, new Set());
  expect(assignable.map(({ id, is_available }) => [id, is_available])).toEqual([
    [83, true],
    [82, true],
    [81, false],
  ]);
  const { data } = await listOwnNumbers(store.pool, accountId);
  expect(data.map(({ voice_capable }) => voice_capable)).toEqual([true, null, false]);
});

test('a number, and that of a request, is found without a look at the others', async () => {
  // One connection, whose statistics tell of all that is read.
  const many = await createTestStore([numbersView], { maxConnections: 1 });
  onTestFinished(() => many.close());
  await many.pool.query(`
    insert into ${numbersTable} (id, account_id, position, kind, phone_number, country_code, status, created_at, command_id)
    select n, 1 + n % 9, n, 'normal', '+1415' || 5550000 + n, 'US', case n % 4 when 0 then 'gone' else 'active' end,
      '2026-11-21T09:00:00.000Z', 'command-' || n
    from generate_series(1, 4000) n`);
  await vacuum(many.pool, numbersTable);
  const before = await rowsRead(many.pool, numbersTable);
  const called = { phone: '+14155550001', calledAt: '2026-11-21T10:00:00.000Z' };
  expect(await findNumbersByPhone(many.pool, called)).toMatchObject([{ id: 1 }]);
  expect(await isTaken(many.pool, '+14155550002')).toBe(true);
  expect(await isTaken(many.pool, '+14155550004')).toBe(false);
  expect(await findNumberOfCommand(many.pool, 'command-3')).toBe(3);
  expect((await rowsRead(many.pool, numbersTable)) - before).toBeLessThan(100);
});
