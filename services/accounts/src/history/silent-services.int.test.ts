import {
  getPastState,
  listEvents,
  listHistory,
  type OperationDefinition,
  serviceNames,
  topUpBalance,
} from '@parley/contracts';
import { connectToBus, type NatsConnection } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Copies, startCopies } from '../copies.fixture.ts';

const away = 'telephony';
const missing = serviceNames.filter((service) => service !== 'accounts');
const silent = missing.filter((service) => service !== away);

let accounts: Copies;
let frozen: NatsConnection;
beforeAll(async () => {
  accounts = await startCopies(1);
  frozen = await connectToBus({ servers: accounts.natsUrl, name: 'test' });
  // The bus hands their messages over, and nobody answers.
  for (const service of silent) frozen.subscribe(`mux.${service}`);
  await frozen.flush();
});
afterAll(async () => {
  await frozen.close();
  await accounts.close();
});

const ask = (operation: OperationDefinition, payload: object, accountId: number) =>
  accounts.send(operation, payload, { accountId });

async function accountWithMoney(): Promise<number> {
  const { accountId } = await accounts.register();
  const paid = { account_id: accountId, amount_micros: 1_000_000, description: 'Card', reference: null };
  await accounts.ask(topUpBalance, paid);
  return accountId;
}

const readLog = async (payload: object, accountId: number) => {
  const reply = await ask(listEvents, payload, accountId);
  return listEvents.success.schema.parse(JSON.parse(reply.kind === 'ok' ? reply.body : ''));
};

/** On a busy machine accounts itself may be missing at first. */
const untilInOrder = (accountId: number) =>
  eventually(async () => {
    const page = await readLog({}, accountId);
    expect(page.data.map(({ type }) => type)).toEqual(['AccountRegistered', 'BalanceToppedUp']);
    expect(page).toMatchObject({ has_more: false, missing_services: missing });
  });

test('services that are silent are left out of the log of an account, and it says which', async () => {
  await untilInOrder(await accountWithMoney());
});

test('a page of the log whose events only an absent service has is not there yet, and says which it is', async () => {
  const accountId = await accountWithMoney();
  await untilInOrder(accountId);
  await accounts.pool.query(
    `with moved as (update account_log.heads set position = 3 where account_id = ${accountId} returning account_id)
     insert into account_log.entries select account_id, 3, 1, '${away}', 'CallEnded' from moved`,
  );
  const { rejection } = Object(await ask(listEvents, {}, accountId));
  expect(rejection).toMatchObject({ code: 'unavailable', details: { missing_services: [away] } });
  const before = await readLog({ limit: 2 }, accountId);
  expect(before).toMatchObject({ data: { length: 2 }, has_more: true, missing_services: [] });
});

test('a resource has its history while services that have nothing to do with it are silent', async () => {
  const accountId = await accountWithMoney();
  const resource = 'balance';
  expect(await ask(listHistory, { resource }, accountId)).toMatchObject({ kind: 'ok' });
  const past = { resource, as_of: new Date().toISOString() };
  expect(await ask(getPastState, past, accountId)).toMatchObject({ kind: 'ok' });
});

test('what only a silent service may know is not there yet, not unknown', async () => {
  const { accountId } = await accounts.register();
  const { rejection } = Object(await ask(listHistory, { resource: 'folder/1' }, accountId));
  expect(rejection).toMatchObject({ code: 'unavailable', details: { missing_services: missing } });
});
