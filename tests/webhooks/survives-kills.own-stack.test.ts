import { randomUUID } from 'node:crypto';
import { type BusClient, connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { reportFigure } from '../support/figures.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { isNightly } from '../support/tier.ts';
import { queueVoiceEvent, startWebhookReceiver, type WebhookReceiver } from '../support/webhooks.ts';

const total = isNightly ? 5_000 : 200;
const kills = isNightly ? 50 : 3;
const accountCount = 4;
const maxPerEndpoint = 4;
const sentAgain = isNightly ? 2_000 : 80;
const killsOfBackfill = isNightly ? 20 : 2;
/** Each in turn dies; in the end both. */
const copies = ['assistants', 'assistants-2'];

let stack: RunningStack;
let bus: BusClient;
let receivers: readonly WebhookReceiver[];

beforeAll(async () => {
  stack = await startOwnStack({ copies: { assistants: 2 } });
  bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  // Slow enough to be in the middle of something when the process dies; now and then it refuses.
  receivers = await Promise.all(
    Array.from({ length: accountCount }, () => startWebhookReceiver({ delayMs: 15, refusesShare: 0.02 })),
  );
});

afterAll(async () => {
  await Promise.all((receivers ?? []).map((receiver) => receiver.close()));
  await bus?.close();
  await stack?.stop();
});

test(`of ${total} webhooks none is lost and none gets a second id while the service is killed ${kills} times`, async () => {
  const accounts = await Promise.all(receivers.map(() => registerTestAccount(bus)));
  for (const [index, { key }] of accounts.entries())
    await comingBack(createApi(stack.baseUrl, key)).put('/api/user/voice-webhook', {
      url: receivers[index]?.url,
    });

  const idOf = new Map<string, string>();
  const queueing = Array.from({ length: 16 }, async (_, worker) => {
    for (let n = worker; n < total; n += 16) {
      const eventId = randomUUID();
      const { id } = accounts[n % accountCount] ?? { id: 0 };
      // What gets no answer soon is asked again: the event's id makes it one webhook.
      const deliveryId = await eventually(() => queueVoiceEvent(bus, id, eventId, 1_000), undefined, 50);
      idOf.set(eventId, deliveryId);
    }
  });
  const arrived = () => receivers.flatMap(({ requests }) => requests);
  for (let kill = 1; kill <= kills; kill += 1) {
    const share = (kill * total) / (kills + 1);
    await eventually(() => expect(arrived().length).toBeGreaterThanOrEqual(share));
    const victims = kill === kills ? copies : copies.slice(kill % 2, (kill % 2) + 1);
    for (const victim of victims) await stack.signal(victim, 'SIGKILL');
  }
  await Promise.all(queueing);

  await eventually(
    async () => {
      const rows = await readRowsOf<{ status: string; count: string }>(
        stack.databaseUrl,
        'assistants',
        'select status, count(*) from view_webhook_deliveries_v4.items group by 1',
      );
      expect(rows).toEqual([{ status: 'delivered', count: String(total) }]);
    },
    undefined,
    200,
  );
  const bodies = Map.groupBy(arrived(), ({ id }) => id);
  expect(new Set(bodies.keys())).toEqual(new Set(idOf.values()));
  for (const [, requests] of bodies) expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
  for (const [eventId, deliveryId] of idOf) {
    expect(JSON.parse(bodies.get(deliveryId)?.[0]?.body ?? '').event_id).toBe(eventId);
  }
  // Again only what was on its way when the process died.
  const accepted = arrived().filter(({ isAccepted }) => isAccepted).length;
  reportFigure(
    'W3',
    `${total} webhooks, ${kills} kills; 0 undelivered, ${accepted - total} accepted again under their own id`,
  );
  expect(accepted - total).toBeLessThanOrEqual(kills * accountCount * maxPerEndpoint);
  for (const { id } of accounts) {
    const rows = await readRowsOf<{ gaps: string }>(
      stack.databaseUrl,
      'assistants',
      `select max(sequence) - count(*) as gaps from view_webhook_deliveries_v4.items where account_id = ${id}`,
    );
    expect(rows).toEqual([{ gaps: '0' }]);
  }
}, 1_800_000);

test(`a back-fill of ${sentAgain} webhooks sends each again, marked, and ends, while the service is killed ${killsOfBackfill} times`, async () => {
  const account = await registerTestAccount(bus);
  // The copies that died in the test before may be starting yet.
  const api = comingBack(createApi(stack.baseUrl, account.key));
  const receiver = await startWebhookReceiver({ delayMs: 15 });
  onTestFinished(() => receiver.close());
  const counted = (select: string) =>
    readRowsOf(stack.databaseUrl, 'assistants', `${select} and account_id = ${account.id}`);
  const events = 'select count(*)::int as n, count(distinct stream_id)::int as streams from es.events';
  const finished = `${events} where type = 'WebhookBackfillFinished'`;
  const undelivered = `select id from view_webhook_deliveries_v4.items where status <> 'delivered'`;
  const isDone = (backfills: number, atLeast: number) =>
    eventually(
      async () => {
        expect(await counted(finished)).toMatchObject([{ n: backfills }]);
        expect(receiver.requests.length).toBeGreaterThanOrEqual(atLeast);
        expect(await counted(undelivered)).toEqual([]);
      },
      undefined,
      200,
    );

  const set = await api.put('/api/user/voice-webhook', { url: receiver.url });
  expect(set.status, set.text).toBe(200);
  const ids: string[] = [];
  for (let n = 0; n < sentAgain; n += 1) ids.push(await queueVoiceEvent(bus, account.id));
  await isDone(0, sentAgain);
  const before = receiver.requests.length;
  const wanted = { event: 'chatapp_voice', since: '2026-01-01T00:00:00Z' };
  const begun = await api.post('/api/user/webhook-deliveries/backfill', wanted);
  expect(begun.status, begun.text).toBe(200);
  const replays = () => receiver.requests.slice(before);
  for (let kill = 1; kill <= killsOfBackfill; kill += 1) {
    const share = (kill * sentAgain) / (killsOfBackfill + 1);
    await eventually(() => expect(replays().length).toBeGreaterThanOrEqual(share));
    const victims = kill === killsOfBackfill ? copies : copies.slice(kill % 2, (kill % 2) + 1);
    for (const victim of victims) await stack.signal(victim, 'SIGKILL');
  }
  await isDone(1, before + sentAgain);

  expect(await counted(`${events} where type = 'WebhookReplayRequested'`)).toEqual([
    { n: sentAgain, streams: sentAgain },
  ]);
  expect(new Set(replays().map(({ id }) => id))).toEqual(new Set(ids));
  for (const { headers, body } of replays())
    expect([headers['webhook-replay'], JSON.parse(body).replay]).toEqual(['true', true]);
  expect(replays().length - sentAgain).toBeLessThanOrEqual(killsOfBackfill * maxPerEndpoint);
}, 600_000);
