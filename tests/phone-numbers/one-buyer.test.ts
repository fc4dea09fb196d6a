import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { countRows, readRows } from '../support/database.ts';
import {
  buy,
  invoicesOf,
  numberForSale,
  recordedNumbers,
  setCard,
  subscriptionsOf,
} from '../support/telephony.ts';

const accountCount = 20;
const purchasesEach = 5;

test(`of ${accountCount * purchasesEach} concurrent purchases of one number by ${accountCount} accounts over two gateways, one succeeds, is charged and listed (B1)`, async () => {
  const accounts = await Promise.all(Array.from({ length: accountCount }, freshAccount));
  const apis = accounts.map(accountApis);
  for (const [api] of apis) expect((await setCard(api)).status).toBe(200);
  const phone = await numberForSale();

  const answers = await Promise.all(
    apis.flatMap((gateways) =>
      Array.from({ length: purchasesEach }, (_, n) => buy(gateways[n % 2] ?? gateways[0], phone)),
    ),
  );

  const sold = answers.filter(({ status }) => status === 201);
  expect(sold).toHaveLength(1);
  for (const { status, body } of answers.filter((answer) => !sold.includes(answer)))
    expect([status, body]).toEqual([400, { error: expect.stringMatching(/already in use|not available/) }]);

  const recorded = (await Promise.all(accounts.map(({ id }) => recordedNumbers(id)))).flat();
  expect(recorded).toHaveLength(1);
  const customers = await customersOf(accounts.map(({ id }) => id));
  expect(customers).toHaveLength(accountCount);
  const subscriptions = (await Promise.all(customers.map((id) => subscriptionsOf(id)))).flat();
  expect(subscriptions).toMatchObject([{ status: 'active' }]);
  const invoices = (await Promise.all(customers.map((id) => invoicesOf(id)))).flat();
  expect(invoices).toMatchObject([{ status: 'paid', amount_paid: 200 }]);
  const rows = `select from view_numbers_v2.numbers where phone_number = '${phone}'`;
  expect(await countRows('telephony', rows)).toBe(1);
  const lists = await Promise.all(apis.map(([, api]) => api.get('/api/user/phone-numbers/all')));
  expect(lists.flatMap(({ body }) => (body as { data: object[] }).data)).toHaveLength(1);
});

async function customersOf(accountIds: readonly number[]): Promise<readonly string[]> {
  const rows = await readRows<{ id: string }>(
    'telephony',
    `select distinct data ->> 'customer_id' as id from es.events
     where type = 'PaymentCustomerCreated' and account_id in (${accountIds.join()})`,
  );
  return rows.map(({ id }) => id);
}
