import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getSessionStatus } from '@parley/contracts';
import { findFreePort } from '@parley/embedded-servers';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { burst, greeting, patiently, sendPath, sentBody } from '../chatapp/sending.ts';
import { type Api, createApi } from '../support/api.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';

/** Minutes that the clock of each process is off; the second gateway goes wrong the other way. */
const skew = { gateway: 10, 'gateway-2': -10, accounts: 5, messaging: -5 };

let stack: RunningStack;
let chat: ChatAccount;
let apis: readonly Api[];
beforeAll(async () => {
  const port = String(await findFreePort());
  const preload = pathToFileURL(join(import.meta.dirname, 'skewed-clock.ts')).href;
  stack = await startOwnStack({
    copies: { gateway: 2 },
    env: {
      PORT: port,
      FIRST_PORT: port,
      CLOCK_SKEW: JSON.stringify(skew),
      NODE_OPTIONS: `--import=${preload}`,
    },
  });
  chat = await chatAccount(stack);
  apis = stack.gatewayUrls.map((url) => comingBack(createApi(url, chat.account.key)));
});
afterAll(async () => {
  await stack?.stop();
});

/** Gateways name requests by their own clock. */
async function clocksOfGateways(): Promise<readonly number[]> {
  const answers = await Promise.all(apis.map((api) => api.get('/api/user/me')));
  return answers.map(({ headers }) => {
    const id = String(headers['x-request-id']).replaceAll('-', '');
    return Math.round((Number.parseInt(id.slice(0, 12), 16) - Date.now()) / 60_000);
  });
}

const postAlternately = (n: number, to: string, headers: Readonly<Record<string, string>> = {}) => {
  const api = apis[n % apis.length];
  if (!api) throw new Error('There are no gateways.');
  return api.post(sendPath, greeting(chat, to), headers);
};

async function expectLimits(): Promise<void> {
  await patiently(() => postAlternately(0, freshCustomerNumber()));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const before = Math.floor(Date.now() / 1_000);
  const answers = await burst(12, (n) => postAlternately(n, freshCustomerNumber()));
  const after = Math.ceil(Date.now() / 1_000) + 2;
  for (const { status, headers } of answers) {
    if (status !== 200) expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThanOrEqual(before);
    expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(after);
  }
}

/** What a customer's message opens is open for 24 hours of the platform's time. */
async function expectWindows(): Promise<void> {
  const from = freshCustomerNumber();
  const before = Date.now();
  await control('chat/inbound', { to: chat.senderPhone, from, text: 'Hello' }, stack.sandboxUrl);
  const path = `/api/user/chatapp/session-status?sender_id=${chat.senderId}&recipient_phone=${encodeURIComponent(from)}`;
  for (const api of apis)
    await eventually(async () => {
      const status = getSessionStatus.success.schema.parse((await api.get(path)).body);
      const opened = Date.parse(status.session_expires_at ?? '') - 24 * 3_600_000;
      expect(status.session_open).toBe(true);
      expect(opened).toBeGreaterThanOrEqual(before - 60_000);
      expect(opened).toBeLessThanOrEqual(Date.now() + 60_000);
    });
}

/** A key that both gateways have just let in. */
async function knownKey(): Promise<{ readonly id: number; readonly read: () => Promise<readonly number[]> }> {
  const created = await chat.api.post('/api/user/api-keys', { name: 'short-lived' });
  expect(created.status, created.text).toBe(201);
  const { id, token } = (created.body as { api_key: { id: number; token: string } }).api_key;
  const others = stack.gatewayUrls.map((url) => comingBack(createApi(url, token)));
  const read = async () =>
    (await Promise.all(others.map((api) => api.get('/api/user/me')))).map(({ status }) => status);
  expect(await read()).toEqual([200, 200]);
  return { id, read };
}

describe('with the clocks of gateways and services minutes apart', () => {
  test('limits, windows, leases and idempotency hold, also when the clocks go back an hour', async () => {
    expect(await clocksOfGateways()).toEqual([10, -10]);
    const to = freshCustomerNumber();
    const headers = { 'idempotency-key': 'skewed' };
    const first = await patiently(() => postAlternately(0, to, headers));
    sentBody(first);
    await expectLimits();
    await expectWindows();
    const key = await knownKey();

    for (const name of Object.keys(skew)) await stack.signal(name, 'SIGWINCH');
    await eventually(async () => expect(await clocksOfGateways()).toEqual([-50, -70]));
    expect((await chat.api.delete(`/api/user/api-keys/${key.id}`)).status).toBe(200);
    expect(await key.read()).toEqual([401, 401]);
    await expectLimits();
    await expectWindows();
    for (const n of [0, 1]) {
      const again = await patiently(() => postAlternately(n, to, headers));
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    }
    expect(await sentTo(stack, to)).toHaveLength(1);

    for (const service of ['accounts', 'messaging']) {
      const backwards = await readRowsOf(
        stack.databaseUrl,
        service,
        `select stream_id from (
           select stream_id, recorded_at,
             lag(recorded_at) over (partition by stream_id order by stream_version) as earlier
           from es.events
         ) e where recorded_at < earlier`,
      );
      expect(backwards).toEqual([]);
    }
  });
});
