import { randomUUID } from 'node:crypto';
import { captureBalance, releaseBalance, reserveBalance, topUpBalance } from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, ask, freshAccount, sharedBus } from '../support/accounts.ts';

interface Line {
  readonly amount: string;
  readonly balance_after: string;
  readonly event_id: string;
}

const million = 1_000_000;
const inMicros = (amount: string) => Math.round(Number(amount) * million);

test('every line of the ledger leads to its event, the lines add up, and the past balance is what they say', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const bus = await sharedBus();
  const own = { account_id: account.id, description: 'Test', reference: null };
  for (let n = 1; n <= 5; n += 1) {
    await ask(bus, topUpBalance, { ...own, amount_micros: n * million });
    const hold = { account_id: account.id, hold_id: randomUUID() };
    await ask(bus, reserveBalance, { ...own, ...hold, amount_micros: n * 300_000 });
    if (n % 2) await ask(bus, captureBalance, { ...hold, amount_micros: n * 200_000 });
    else await ask(bus, releaseBalance, hold);
  }
  const lines = ((await api.get('/api/user/balance/transactions?per_page=100')).body as { data: Line[] })
    .data;
  const log = (
    (await api.get('/api/user/events?limit=500')).body as {
      data: { event_id: string; type: string; service_position: number }[];
    }
  ).data;
  expect(lines).toHaveLength(8);
  const me = async (asOf = '') =>
    inMicros(((await api.get(`/api/user/me${asOf}`)).body as { total_balance: string }).total_balance);
  expect(lines.reduce((sum, { amount }) => sum + inMicros(amount), 0)).toBe(await me());
  for (const line of lines) {
    const event = log.find(({ event_id }) => event_id === line.event_id);
    expect(event?.type).toMatch(/^Balance(ToppedUp|Captured)$/);
    const then = `as_of=${event?.service_position}`;
    expect(await me(`?${then}`)).toBe(inMicros(line.balance_after));
    const { data: until } = (await api.get(`/api/user/balance/transactions?per_page=100&${then}`)).body as {
      data: Line[];
    };
    expect(until).toEqual(lines.slice(lines.indexOf(line)));
    expect(until.reduce((sum, { amount }) => sum + inMicros(amount), 0)).toBe(inMicros(line.balance_after));
  }
});
