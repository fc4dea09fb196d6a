import { randomUUID } from 'node:crypto';
import {
  captureBalance,
  checkBalance,
  debitBalance,
  getMe,
  listBalanceTransactions,
  refundBalance,
  releaseBalance,
  reserveBalance,
  setBalance,
  topUpBalance,
} from '@parley/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Copies, startCopies } from '../copies.fixture.ts';

let accounts: Copies;
beforeAll(async () => {
  accounts = await startCopies(2);
});
afterAll(() => accounts.close());

const unit = 1_000_000;
const about = { description: 'Template message', reference: 'message/9' };
const topUp = (account_id: number, amount_micros: number) =>
  accounts.ask(topUpBalance, { account_id, amount_micros, description: 'Top-up', reference: null });
const reserve = (account_id: number, amount_micros: number, hold_id: string = randomUUID()) =>
  accounts.send(reserveBalance, { account_id, hold_id, amount_micros, ...about });

async function query(message: typeof getMe | typeof listBalanceTransactions, accountId: number, input = {}) {
  const reply = await accounts.send(message, input, { accountId });
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body);
}
const me = async (accountId: number, asOf?: string) =>
  getMe.success.schema.parse(await query(getMe, accountId, asOf === undefined ? {} : { as_of: asOf }));
const lines = async (accountId: number, page = 1, perPage = 15) =>
  listBalanceTransactions.success.schema.parse(
    await query(listBalanceTransactions, accountId, { page: String(page), per_page: String(perPage) }),
  );

describe('the balance', () => {
  test('pays for exactly ten of fifty concurrent sends, through two copies, and is never negative', async () => {
    const { accountId } = await accounts.register();
    await topUp(accountId, 10 * unit);
    let lowest = Number.POSITIVE_INFINITY;
    let isDone = false;
    const watch = (async () => {
      while (!isDone) lowest = Math.min(lowest, Number((await me(accountId)).available_balance));
    })();
    const sends = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const hold_id = randomUUID();
        const reserved = await reserve(accountId, unit, hold_id);
        if (reserved.kind === 'rejected') return reserved.rejection.code;
        await accounts.ask(captureBalance, { account_id: accountId, hold_id, amount_micros: unit });
        return 'sent';
      }),
    );
    isDone = true;
    await watch;
    expect(sends.filter((outcome) => outcome === 'sent')).toHaveLength(10);
    expect(sends.filter((outcome) => outcome === 'insufficient_balance')).toHaveLength(40);
    expect(lowest).toBeGreaterThanOrEqual(0);
    expect(await me(accountId)).toMatchObject({ total_balance: '0.00', available_balance: '0.00' });
    const { data, total } = await lines(accountId, 1, 100);
    expect(total).toBe(11);
    expect(data.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(0);
  });

  test('sets money aside for what arrives together in few commits, through two copies, and never more than there is', async () => {
    const { accountId } = await accounts.register();
    await topUp(accountId, 250 * unit);
    const replies = await Promise.all(Array.from({ length: 300 }, () => reserve(accountId, unit)));
    const codes = replies.map((reply) => (reply.kind === 'rejected' ? reply.rejection.code : 'reserved'));
    expect(codes.filter((code) => code === 'reserved')).toHaveLength(250);
    expect(codes.filter((code) => code === 'insufficient_balance')).toHaveLength(50);
    expect(await me(accountId)).toMatchObject({ reserved_balance: '250.00', available_balance: '0.00' });
    const { rows } = await accounts.pool.query(
      'select count(distinct xmin::text)::int as commits from es.events where stream_id = $1',
      [`balance-${accountId}`],
    );
    expect(rows[0].commits).toBeLessThan(125);
  });

  test('shows every change of the total as a line with the balance after it, newest first', async () => {
    const { accountId, email } = await accounts.register();
    await topUp(accountId, 12_500_000);
    const [spent, freed] = [randomUUID(), randomUUID()];
    await reserve(accountId, 2 * unit, spent);
    await reserve(accountId, unit, freed);
    await accounts.ask(captureBalance, { account_id: accountId, hold_id: spent, amount_micros: 1_234_500 });
    await accounts.ask(releaseBalance, { account_id: accountId, hold_id: freed });
    await accounts.ask(setBalance, { email: email.toUpperCase(), total_micros: 1 });
    expect(await lines(accountId)).toEqual({
      data: [
        {
          id: 3,
          type: 'adjustment',
          amount: '-11.265499',
          balance_after: '0.000001',
          description: 'Balance set by the operator',
          reference: null,
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          event_id: expect.any(String),
        },
        expect.objectContaining({
          id: 2,
          type: 'charge',
          amount: '-1.2345',
          balance_after: '11.2655',
          ...about,
        }),
        expect.objectContaining({ id: 1, type: 'top_up', amount: '12.50', balance_after: '12.50' }),
      ],
      current_page: 1,
      per_page: 15,
      total: 3,
    });
    expect((await lines(accountId, 2, 2)).data.map(({ id }) => id)).toEqual([1]);
    expect((await lines(accountId, 3, 2)).data).toEqual([]);
  });

  test('gives back what was spent, by a line of its own and once, and frees what was only set aside', async () => {
    const { accountId: account_id } = await accounts.register();
    await topUp(account_id, 5 * unit);
    const [spent, open] = [randomUUID(), randomUUID()];
    await reserve(account_id, 2 * unit, spent);
    await accounts.ask(captureBalance, { account_id, hold_id: spent, amount_micros: unit });
    await reserve(account_id, unit, open);
    const refund = (hold_id: string) => accounts.send(refundBalance, { account_id, hold_id, ...about });
    const first = await Promise.all(Array.from({ length: 5 }, () => refund(spent)));
    expect(new Set(first.map((reply) => reply.kind === 'ok' && reply.body)).size).toBe(1);
    await refund(open);
    expect(await me(account_id)).toMatchObject({ total_balance: '5.00', reserved_balance: '0.00' });
    expect((await lines(account_id)).data.map(({ type, amount }) => [type, amount])).toEqual([
      ['refund', '1.00'],
      ['charge', '-1.00'],
      ['top_up', '5.00'],
    ]);
  });

  test('answers a repeated hold command with the bytes of the first answer, whatever the command id', async () => {
    const { accountId } = await accounts.register();
    await topUp(accountId, 5 * unit);
    const hold_id = randomUUID();
    const capture = (amount_micros: number) =>
      accounts.send(captureBalance, { account_id: accountId, hold_id, amount_micros });
    const first = await reserve(accountId, 5 * unit, hold_id);
    const captured = await capture(4 * unit);
    expect(await reserve(accountId, 5 * unit, hold_id.toUpperCase())).toEqual({ ...first, replayed: true });
    expect(await capture(4 * unit)).toEqual({ ...captured, replayed: true });
    expect(await capture(3 * unit)).toMatchObject({ rejection: { code: 'idempotency_key_reuse' } });
    expect(await accounts.send(releaseBalance, { account_id: accountId, hold_id })).toMatchObject({
      rejection: { code: 'hold_settled' },
    });
    const overtaken = randomUUID();
    await accounts.ask(releaseBalance, { account_id: accountId, hold_id: overtaken });
    expect(await reserve(accountId, unit, overtaken)).toMatchObject({ rejection: { code: 'hold_settled' } });
    expect(await me(accountId)).toMatchObject({ total_balance: '1.00', reserved_balance: '0.00' });
  });

  test('of any moment is folded from its events', async () => {
    const { accountId } = await accounts.register();
    const reply = await accounts.send(topUpBalance, {
      account_id: accountId,
      amount_micros: 7 * unit,
      description: 'Top-up',
      reference: null,
    });
    const position = reply.kind === 'ok' ? String(reply.position) : '';
    await topUp(accountId, 3 * unit);
    const [newest, oldest] = (await lines(accountId)).data;
    await reserve(accountId, 4 * unit);
    expect(await me(accountId)).toMatchObject({
      total_balance: '10.00',
      available_balance: '6.00',
      reserved_balance: '4.00',
    });
    expect(await me(accountId, position)).toMatchObject({ total_balance: '7.00' });
    expect(newest && oldest && newest.created_at >= oldest.created_at).toBe(true);
    expect(await accounts.send(getMe, { as_of: '2999-01-01T00:00:00+02:00' }, { accountId })).toMatchObject({
      rejection: { code: 'invalid', fields: { as_of: [expect.any(String)] } },
    });
    expect(await accounts.send(getMe, { as_of: '0' }, { accountId })).toMatchObject({
      rejection: { code: 'not_found' },
    });
    expect(await accounts.send(getMe, { as_of: 'yesterday' }, { accountId })).toMatchObject({
      rejection: { code: 'invalid', fields: { as_of: [expect.any(String)] } },
    });
  });

  test('may be debited by more than there is: below zero nothing is reserved until it is paid, and it is shown as it is', async () => {
    const { accountId: account_id } = await accounts.register();
    await topUp(account_id, 2 * unit);
    const hold_id = randomUUID();
    await reserve(account_id, unit, hold_id);
    const whole = { account_id, amount_micros: 2 * unit };
    const setAside = { is_enough: false, total_micros: 2 * unit };
    expect(await accounts.ask(checkBalance, whole)).toMatchObject(setAside);
    const chargeback = { amount_micros: 2_500_000, description: 'Chargeback', reference: 'dp_1' };
    const reply = await accounts.send(debitBalance, { account_id, ...chargeback });
    await accounts.ask(captureBalance, { account_id, hold_id, amount_micros: unit });
    const debited = { total_balance: '-0.50', available_balance: '-1.50', reserved_balance: '1.00' };
    const spent = { total_balance: '-1.50', available_balance: '-1.50', reserved_balance: '0.00' };
    expect(await me(account_id)).toMatchObject(spent);
    expect(await me(account_id, String(reply.kind === 'ok' && reply.position))).toMatchObject(debited);
    expect((await lines(account_id)).data).toMatchObject([
      { type: 'charge', amount: '-1.00', balance_after: '-1.50' },
      {
        type: 'adjustment',
        amount: '-2.50',
        balance_after: '-0.50',
        description: 'Chargeback',
        reference: 'dp_1',
      },
      { type: 'top_up', amount: '2.00', balance_after: '2.00' },
    ]);
    const check = { account_id, amount_micros: 1 };
    const refused = await accounts.ask(checkBalance, check);
    expect(refused).toMatchObject({ is_enough: false, total_micros: -1.5 * unit });
    expect(refused).not.toHaveProperty('retry_after_seconds');
    expect(await reserve(account_id, 1)).toMatchObject({ rejection: { code: 'insufficient_balance' } });
    await topUp(account_id, 1_500_001);
    expect(await reserve(account_id, 1)).toMatchObject({ kind: 'ok' });
    // It is there, and set aside.
    const later = { is_enough: false, retry_after_seconds: 60 };
    expect(await accounts.ask(checkBalance, check)).toMatchObject(later);
    expect(await me(account_id)).toMatchObject({ total_balance: '0.000001', available_balance: '0.00' });
  });

  test('pays what is there of what is over already, once', async () => {
    const { accountId: account_id } = await accounts.register();
    await topUp(account_id, 2 * unit);
    const over = { account_id, hold_id: randomUUID(), amount_micros: 5 * unit, at_most: true };
    for (const _ of ['first', 'again']) {
      const paid = { kind: 'ok', body: expect.stringContaining('"amount_micros":2000000') };
      expect(await accounts.send(reserveBalance, { ...over, ...about })).toMatchObject(paid);
      expect(await accounts.send(captureBalance, over)).toMatchObject(paid);
    }
    expect(await me(account_id)).toMatchObject({ total_balance: '0.00', reserved_balance: '0.00' });
    const next = { ...over, ...about, hold_id: randomUUID() };
    expect(await accounts.send(reserveBalance, next)).toMatchObject({
      rejection: { code: 'insufficient_balance' },
    });
  });

  test('of nobody cannot be moved', async () => {
    const nobody = { account_id: 999_999_999, amount_micros: unit };
    for (const booking of [topUpBalance, debitBalance])
      expect(await accounts.send(booking, { ...nobody, ...about })).toMatchObject({
        rejection: { code: 'not_found' },
      });
    expect(await accounts.send(setBalance, { email: 'nobody@example.com', total_micros: 1 })).toMatchObject({
      rejection: { code: 'not_found' },
    });
  });
});

test('a balance cannot be set outside sandbox stacks', async () => {
  const production = await startCopies(1, { SANDBOX: 'false' });
  try {
    const { email } = await production.register();
    expect(await production.send(setBalance, { email, total_micros: 1 })).toMatchObject({
      rejection: { code: 'not_found' },
    });
  } finally {
    await production.close();
  }
});
