import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestCallPermission, topUpBalance } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import { connectBusClient } from '@parley/message-bus';
import {
  createStackHome,
  eventually,
  type OwnPostgres,
  type RunningStack,
  startOwnPostgres,
  startStack,
} from '@parley/testing';
import pg from 'pg';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendPath } from '../chatapp/sending.ts';
import { voicePair } from '../chatapp-voice/voice-stack.ts';
import { ask, registerTestAccount } from '../support/accounts.ts';
import { type Answer, createApi } from '../support/api.ts';
import { callingAssistant, makeCall } from '../support/calls.ts';
import { chatAccount } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack, untilDefinite } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { type Passage, startPassage } from '../support/passage.ts';
import { startSmsCampaign } from '../support/sms.ts';
import { buy, numberForSale, setCard } from '../support/telephony.ts';

/** A stack of its own: its Postgres goes away. Callbacks go to the first gateway, clients to the second. */
let home = '';
let postgres: OwnPostgres;
let passage: Passage;
let stack: RunningStack;
beforeAll(async () => {
  home = await createStackHome();
  postgres = await startOwnPostgres();
  const SANDBOX_PORT = String(await findFreePort());
  passage = await startPassage(`http://127.0.0.1:${SANDBOX_PORT}`);
  const { url } = passage;
  const env = { DATABASE_URL: postgres.url, SANDBOX_PORT };
  const platforms = { LIVEKIT_URL: url, TWILIO_BASE_URL: url, WHATSAPP_BASE_URL: url };
  stack = await startStack({
    home,
    copies: { gateway: 2 },
    env: { ...env, ...platforms },
  });
});
afterAll(async () => {
  await stack?.stop();
  await passage?.close();
  await postgres?.stop();
  await rm(home, { recursive: true, force: true });
});

const place = () => ({
  ...stack,
  baseUrl: stack.gatewayUrls[1] ?? '',
  gatewayUrls: stack.gatewayUrls.slice(1),
});

async function fundedAccount() {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { id, key } = await registerTestAccount(bus);
  const payment = { amount_micros: 10_000_000, description: 'Test', reference: null };
  await ask(bus, topUpBalance, { account_id: id, ...payment });
  await bus.close();
  return { accountId: id, api: comingBack(createApi(place().baseUrl, key)) };
}

/** What is begun reaches the customer; resolves with the answer of whoever asked, where there is one. */
interface Begun {
  readonly accountId: number;
  readonly customer: string;
  readonly begin: () => Promise<Answer | undefined>;
}

async function send(): Promise<Begun> {
  const { account, api, senderId, templates } = await chatAccount(place());
  const customer = freshCustomerNumber();
  const headers = { 'idempotency-key': randomUUID() };
  const body = { sender_id: senderId, template_id: templates.greeting, recipient_phone: customer };
  return {
    accountId: account.id,
    customer,
    begin: () => untilDefinite(() => api.post(sendPath, body, headers)),
  };
}

async function askForPermission(): Promise<Begun> {
  const { accountId, api, customer, sender, write } = await voicePair(place());
  await write();
  const headers = { 'idempotency-key': randomUUID() };
  const body = { sender_id: sender.id, recipient_phone: customer };
  return {
    accountId,
    customer,
    begin: () => untilDefinite(() => api.post(requestCallPermission.path, body, headers)),
  };
}

async function call(): Promise<Begun> {
  const { accountId, api } = await fundedAccount();
  const { id } = await callingAssistant(api);
  const customer = freshCustomerNumber();
  return {
    accountId,
    customer,
    async begin() {
      await makeCall(api, id, customer);
      return undefined;
    },
  };
}

async function sms(): Promise<Begun> {
  const { accountId, api } = await fundedAccount();
  await setCard(api);
  await buy(api, await numberForSale(stack));
  const customer = freshCustomerNumber();
  return {
    accountId,
    customer,
    async begin() {
      await startSmsCampaign(api, 'Hello', [{ phone: customer, name: 'Ada' }]);
      return undefined;
    },
  };
}

/** How often the outside world was asked to reach that customer. */
async function timesReached(provider: string, operation: string, customer: string): Promise<number> {
  const { body } = await request(`${stack.sandboxUrl}/control/requests?provider=${provider}`);
  const { data } = (await body.json()) as { data: { operation: string; body: unknown }[] };
  const number = customer.slice(1);
  return data.filter((each) => each.operation === operation && JSON.stringify(each.body).includes(number))
    .length;
}

async function countEvents(service: string, event: string, accountId: number): Promise<number> {
  const query = `select from es.events where type = '${event}' and account_id = ${accountId}`;
  return (await readRowsOf(stack.databaseUrl, service, query)).length;
}

async function putChecksOff(service: string): Promise<void> {
  const client = new pg.Client({ connectionString: new URL(`/parley_${service}`, stack.databaseUrl).href });
  await client.connect();
  await client.query(`update es.timers set due_at = due_at + interval '1 day'`);
  await client.end();
}

/** More than an append waits for its turn, and a payment for its answer. */
const longMs = 8_000;

test.each([
  ['a message', send, /\/messages$/, longMs, 'messaging', 'MessageSent', ['chat', 'send_message']],
  [
    'a question',
    askForPermission,
    /\/messages$/,
    // It is rendered from what is read.
    0,
    'messaging',
    'CallPermissionRequested',
    ['chat', 'send_permission_request'],
  ],
  ['a call', call, /CreateSIPParticipant$/, longMs, 'telephony', 'CallDialed', ['voice', 'create_call']],
  ['an SMS', sms, /Messages\.json$/, longMs, 'telephony', 'SmsSent', ['carrier', 'send_sms']],
] as const)(
  'what the platform says of %s while Postgres is gone is on record when it is back, once, and nobody is reached twice',
  async (_, prepare, path, awayMs, service, event, [provider, operation]) => {
    const { accountId, customer, begin } = await prepare();
    // Nobody else puts on record what became of it: no callback arrives, and no check.
    await stack.signal('gateway', 'SIGSTOP');
    try {
      const answered = passage.beforeAnswer(path, async () => {
        await putChecksOff(service);
        await postgres.goAway();
      });
      const beginning = begin();
      await answered;
      await sleep(awayMs);
      await postgres.comeBack();
      const timesRecorded = () => countEvents(service, event, accountId);
      await eventually(async () => expect(await timesRecorded()).toBe(1));
      const answer = await beginning;
      if (answer) expect(answer.status, answer.text).toBe(200);
      expect(await timesRecorded()).toBe(1);
      expect(await timesReached(provider, operation, customer)).toBe(1);
    } finally {
      await stack.signal('gateway', 'SIGCONT');
    }
  },
);
