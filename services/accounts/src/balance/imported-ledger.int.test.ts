import { randomUUID } from 'node:crypto';
import { type InternalMessage, refundBalance, reserveBalance, topUpBalance } from '@parley/contracts';
import { expect, onTestFinished, test } from 'vitest';
import { startCopies } from '../copies.fixture.ts';
import { balancesTable } from '../views/ledger-view.ts';

const price = 1_000_000;
const holds = 50_000;
const about = { description: 'Test', reference: null };

const holdIdOf = (n: string) => `overlay(overlay(md5(${n}) placing '4' from 13) placing '8' from 17)::uuid`;

test('a ledger that came with an import answers soon, however long it is', async () => {
  const { pool, ...accounts } = await startCopies(1);
  onTestFinished(() => accounts.close());
  const { accountId: account_id } = await accounts.register();
  const metadata = {
    ...{ correlationId: 'a', causationId: 'b', commandId: null, imported: true },
    actor: { kind: 'system', id: 'c' },
  };
  const of = [`balance-${account_id}`, account_id];
  await pool.query(
    `insert into es.events
     select h.position + e.version, now(), $2, gen_random_uuid(), e.version, 1, $1, 'balance', e.type, e.data || about, $3
     from es.head h, jsonb_build_object('description', 'Test') about, (
       select 1 version, 'BalanceToppedUp' type,
         '{"amount_micros": ${2 * holds * price}, "reference": "invoice 117"}'::jsonb data
       union all
       select 2 * n + v, case v when 0 then 'BalanceReserved' else 'BalanceCaptured' end, jsonb_build_object(
         'hold_id', ${holdIdOf('n::text')}, 'amount_micros', ${price}, 'released_micros', 0, 'reference', null)
       from generate_series(1, ${holds}) n, generate_series(0, 1) v
     ) e order by e.version`,
    [...of, metadata],
  );
  const length = 2 * holds + 1;
  await pool.query(`update es.head set position = position + ${length}`);
  const total = holds * price;
  await pool.query(
    `insert into ${balancesTable} select $1, ${total}, 0, ${holds + 1}, position from es.head`,
    [account_id],
  );
  await pool.query(
    `insert into es.snapshots select $1, 'balance-2', ${length}, $2, position, '2026-11-21T10:00:00.000000Z',
       '{"total_micros": ${total}, "reserved_micros": 0, "holds": [], "barred_holds": []}' from es.head`,
    of,
  );

  const { rows } = await pool.query<{ id: string }>(`select ${holdIdOf(`'${holds}'`)}::text as id`);
  const ask = (message: InternalMessage, wanted: object) =>
    accounts.send(message, { account_id, ...about, ...wanted });
  const topUp = { amount_micros: 2 * total, reference: 'invoice 117' };
  for (const [message, wanted] of [
    [refundBalance, { hold_id: rows[0]?.id }],
    [refundBalance, { hold_id: randomUUID() }],
    [reserveBalance, { hold_id: randomUUID(), amount_micros: price }],
    [topUpBalance, topUp],
    [topUpBalance, { ...topUp, reference: 'invoice 118' }],
  ] as const)
    expect(await ask(message, wanted)).toMatchObject({ kind: 'ok' });
  const { rows: balances } = await pool.query(
    `select total_micros::float8, reserved_micros::float8 from ${balancesTable}`,
  );
  expect(balances).toMatchObject([{ total_micros: 3 * total + price, reserved_micros: price }]);
}, 300_000);
