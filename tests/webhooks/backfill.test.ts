import { randomUUID } from 'node:crypto';
import { backfillWebhooks, type OperationSuccess } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, freshAccount, sharedBus } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { countRows } from '../support/database.ts';
import { queueVoiceEvent, startWebhookReceiver, type WebhookReceiver } from '../support/webhooks.ts';

type Backfill = OperationSuccess<typeof backfillWebhooks>['data'];

const path = '/api/user/webhook-deliveries/backfill';
const event = 'chatapp_voice';
const long = '2026-01-01T00:00:00Z';

async function begin(api: Api, since: string): Promise<Backfill> {
  const answer = await api.post(path, { event, since });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return backfillWebhooks.success.schema.parse(answer.body).data;
}

async function receiverOf(api: Api, held?: () => Promise<void>): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver({ held });
  onTestFinished(() => receiver.close());
  expect((await api.put('/api/user/voice-webhook', { url: receiver.url })).status).toBe(200);
  return receiver;
}

/** An account that was told of so many things, all of which have arrived. */
async function told(count: number, held?: () => Promise<void>) {
  const account = await freshAccount();
  const [api, other] = accountApis(account);
  const receiver = await receiverOf(api, held);
  const bus = await sharedBus();
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await queueVoiceEvent(bus, account.id, randomUUID()));
  await settled(api, count);
  return { account, api, other, receiver, ids };
}

/** Waits until so many attempts have been made, and nothing is on its way. */
const settled = (api: Api, attempts: number) =>
  eventually(async () => {
    const { data } = (await api.get('/api/user/webhook-deliveries?per_page=100')).body as {
      data: { status: string; attempts: unknown[] }[];
    };
    expect(data.map(({ status }) => status)).toEqual(data.map(() => 'delivered'));
    expect(data.reduce((sum, each) => sum + each.attempts.length, 0)).toBe(attempts);
  });

test('a back-fill sends everything since a moment again: same ids, marked, signed as it is sent', async () => {
  const { api, receiver, ids } = await told(5);
  const { data: deliveries } = (await api.get('/api/user/webhook-deliveries')).body as {
    data: { id: string; created_at: string }[];
  };
  const third = deliveries.find(({ id }) => id === ids[2]);
  const { data } = (await api.get('/api/user/webhook-secret')).body as { data: { secret: string } };
  const first = [...receiver.requests];
  // What was lost may be wanted somewhere else by now.
  const elsewhere = await receiverOf(api);
  expect(await begin(api, third?.created_at ?? '')).toMatchObject({
    webhooks: 3,
    from_sequence: 3,
    to_sequence: 5,
    next_since: null,
  });
  await settled(api, 8);
  expect(receiver.requests).toEqual(first);
  expect(elsewhere.requests.map(({ id }) => id).sort()).toEqual(ids.slice(2).sort());
  for (const { id, headers, body } of elsewhere.requests) {
    const before = first.find((request) => request.id === id);
    const sent = new Webhook(data.secret).verify(body, headers);
    expect(sent).toEqual({ ...JSON.parse(before?.body ?? ''), replay: true });
    expect([before?.headers['webhook-replay'], headers['webhook-replay']]).toEqual([undefined, 'true']);
  }
});

test('the same back-fill, asked for many times while it is under way, sends nothing twice', async () => {
  let held = Promise.resolve();
  const { account, api, other, receiver, ids } = await told(6, () => held);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  held = promise;
  const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => begin(n % 2 ? api : other, long)));
  expect(new Set(answers.map(({ backfill_id }) => backfill_id)).size).toBe(1);
  expect(await begin(api, long)).toEqual(answers[0]);
  // Another one over the same webhooks finds them on their way.
  await begin(other, '2026-01-02T00:00:00Z');
  const finished = `select from es.events where type = 'WebhookBackfillFinished' and account_id = ${account.id}`;
  await eventually(async () => expect(await countRows('assistants', finished)).toBe(2));
  release();
  await settled(api, 12);
  for (const id of ids) expect(receiver.requests.filter((request) => request.id === id)).toHaveLength(2);
  // It is over: now it may be had again, and once more with the bytes of the first one.
  expect((await begin(api, long)).backfill_id).not.toBe(answers[0]?.backfill_id);
  await settled(api, 18);
  const replays = receiver.requests.filter(({ headers }) => headers['webhook-replay'] === 'true');
  expect(new Set(replays.map(({ body }) => body)).size).toBe(ids.length);
});

test('what is redelivered after a back-fill is no replay, and a repeated request is its first answer', async () => {
  const { api, receiver, ids } = await told(1);
  const key = { 'idempotency-key': randomUUID() };
  const first = await api.post(path, { event, since: long }, key);
  await settled(api, 2);
  const again = await api.post(path, { event, since: long }, key);
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  await api.post(`/api/user/webhook-deliveries/${ids[0]}/redeliver`);
  await settled(api, 3);
  expect(receiver.requests.map(({ headers }) => headers['webhook-replay'])).toEqual([
    undefined,
    'true',
    undefined,
  ]);
  expect(receiver.requests[2]?.body).toBe(receiver.requests[0]?.body);
});

test('nothing is sent where the webhook is off, where there is nothing, or of another account', async () => {
  const { api, receiver } = await told(1);
  await api.put('/api/user/voice-webhook', { url: null });
  const refused = await api.post(path, { event, since: long });
  expect([refused.status, refused.body]).toEqual([422, { message: 'The webhook is turned off.' }]);
  const [stranger] = accountApis(await freshAccount());
  const elsewhere = await receiverOf(stranger);
  expect(await begin(stranger, long)).toMatchObject({ backfill_id: null, webhooks: 0 });
  expect([receiver.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
});

test.each([
  [{ event, since: '2999-01-01T00:00:00Z' }, 'since'],
  [{ event, since: 'yesterday' }, 'since'],
  [{ event }, 'since'],
  [{ event: 'nothing', since: long }, 'event'],
])('%j is refused', async (body, field) => {
  const [api] = accountApis(await freshAccount());
  const refused = await api.post(path, body);
  expect([refused.status, refused.body]).toMatchObject([422, { errors: { [field]: [expect.any(String)] } }]);
});
