import { randomUUID } from 'node:crypto';
import {
  captureBalance,
  erasePerson,
  getErasure,
  getMe,
  refundBalance,
  reserveBalance,
  topUpBalance,
} from '@parley/contracts';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Copies, startCopies } from '../copies.fixture.ts';

let accounts: Copies;
beforeAll(async () => {
  accounts = await startCopies(2);
});
afterAll(() => accounts?.close());

const erased = '+4930901820';
const price = 1_000_000;

test('what was paid for comes back once a person was erased whom the account had paid for, too', async () => {
  const { accountId: account_id } = await accounts.register();
  await accounts.ask(topUpBalance, {
    account_id,
    amount_micros: 5 * price,
    description: 'Top-up',
    reference: null,
  });
  const reserve = (hold_id: string, phone: string) =>
    accounts.send(reserveBalance, {
      ...{ account_id, hold_id, amount_micros: price },
      ...{ description: `Message to ${phone}`, reference: 'message/9' },
    });
  const capture = (hold_id: string, amount_micros = price) =>
    accounts.send(captureBalance, { account_id, hold_id, amount_micros });
  const [ofErased, ofOther] = [randomUUID(), randomUUID()];
  await reserve(ofErased, erased);
  await reserve(ofOther, '+4930901821');
  for (const hold of [ofErased, ofOther]) expect(await capture(hold)).toMatchObject({ kind: 'ok' });

  const snapshot = (version: number, phone: string) =>
    accounts.pool.query(
      `insert into es.snapshots values ($1, 'balance-2', $2, $3, 1, '2026-11-21T10:00:00.000000Z', $4)`,
      [
        `balance-${account_id}`,
        version,
        account_id,
        {
          total_micros: 1,
          reserved_micros: 1,
          holds: [{ description: `Message to ${phone}` }],
          barred_holds: [],
        },
      ],
    );
  await snapshot(7, erased);
  await snapshot(8, '+4930901821');

  const erasure = { erasure_id: randomUUID() };
  await accounts.ask(erasePerson, { ...erasure, account_id, phone_number: erased });
  await eventually(async () =>
    expect(await accounts.ask(getErasure, erasure)).toMatchObject({ status: 'done', leftovers: [] }),
  );
  const { rows } = await accounts.pool.query('select version from es.snapshots');
  expect(rows).toEqual([{ version: 8 }]);
  await accounts.pool.query('delete from es.snapshots');

  for (const hold_id of [ofErased, ofOther]) {
    expect(await reserve(hold_id, erased)).toMatchObject({ kind: 'ok', replayed: true });
    expect(await capture(hold_id)).toMatchObject({ kind: 'ok', replayed: true });
    expect(await capture(hold_id, price - 1)).toMatchObject({ rejection: { code: 'idempotency_key_reuse' } });
    const about = { description: 'It was not delivered', reference: 'message/9' };
    expect(await accounts.send(refundBalance, { account_id, hold_id, ...about })).toMatchObject({
      kind: 'ok',
    });
  }
  const me = await accounts.send(getMe, {}, { accountId: account_id });
  expect(JSON.parse(me.kind === 'ok' ? me.body : '')).toMatchObject({ total_balance: '5.00' });
});
