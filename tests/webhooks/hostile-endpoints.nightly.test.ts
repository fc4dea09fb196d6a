import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BusClient, connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount, type TestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { quantile, reportFigure } from '../support/figures.ts';
import { type HostileEndpoints, startHostileEndpoints } from '../support/hostile-endpoints.ts';
import { residentMb } from '../support/memory.ts';
import { queueVoiceEvent, startWebhookReceiver, type WebhookReceiver } from '../support/webhooks.ts';

const healthyAccounts = 6;
const perSecond = 20;
const secondsOfMeasuring = 30;
const timeLimitMs = 15_000;
/** Below it a difference is that of the machine, which works for the hostile ones as well. */
const unnoticedMs = 50;

let stack: RunningStack;
let bus: BusClient;
let hostile: HostileEndpoints;
let healthy: WebhookReceiver;
beforeAll(async () => {
  stack = await startStack({ copies: { assistants: 2 } });
  bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  hostile = await startHostileEndpoints();
  healthy = await startWebhookReceiver();
});
afterAll(async () => {
  await healthy?.close();
  await hostile?.close();
  await bus?.close();
  await stack?.stop();
});

async function customerAt(url: string): Promise<TestAccount> {
  const account = await registerTestAccount(bus);
  const set = await comingBack(createApi(stack.baseUrl, account.key)).put('/api/user/voice-webhook', { url });
  expect([url, set.status]).toEqual([url, 200]);
  return account;
}

/** Milliseconds from the event to the arrival of its webhook, of some of each account, at a steady pace. */
async function deliver(accounts: readonly TestAccount[], seconds: number): Promise<readonly number[]> {
  const startedAt = performance.now();
  const delays = Array.from({ length: seconds * perSecond }, async (_, n) => {
    const eventId = randomUUID();
    await sleep((n * 1_000) / perSecond);
    const queuedAt = performance.now();
    await queueVoiceEvent(bus, accounts[n % accounts.length]?.id ?? 0, eventId);
    const arrivedAt = await eventually(() => {
      const arrived = healthy.requests.find(({ body }) => body.includes(eventId));
      if (!arrived) throw new Error(`${eventId} has not arrived.`);
      return arrived.at;
    });
    return arrivedAt - queuedAt;
  });
  const measured = await Promise.all(delays);
  expect(performance.now() - startedAt).toBeGreaterThan((seconds - 1) * 1_000);
  return measured;
}

/** As many for hostile endpoints as for others, and at the same pace. */
async function queueAtPace(accounts: readonly TestAccount[], seconds: number): Promise<void> {
  const queueing = Array.from({ length: seconds * perSecond }, async (_, n) => {
    await sleep((n * 1_000) / perSecond);
    await queueVoiceEvent(bus, accounts[n % accounts.length]?.id ?? 0);
  });
  await Promise.all(queueing);
}

/** Of each copy that sends them. */
const memoryMb = (): readonly number[] =>
  ['assistants', 'assistants-2'].map((name) => residentMb([stack.pidOf(name)]));

interface Attempt {
  readonly account_id: number;
  readonly type: string;
  readonly duration_ms: number | null;
}
/** What the log says of attempts at these accounts' endpoints, in its order. */
const attemptsOf = (accounts: readonly TestAccount[]) =>
  readRowsOf<Attempt>(
    stack.databaseUrl,
    'assistants',
    `select account_id::int, type, (data ->> 'duration_ms')::float8 as duration_ms from es.events
     where type like 'WebhookAttempt%' and account_id in (${accounts.map(({ id }) => id).join()})
     order by position`,
  );

/** How many were under way at once, at most: an attempt begins and ends on record while it has its place. */
function mostAtOnce(attempts: readonly Attempt[]): number {
  let open = 0;
  let most = 0;
  for (const { type } of attempts) {
    open += type === 'WebhookAttemptStarted' ? 1 : -1;
    most = Math.max(most, open);
  }
  return most;
}

test('W4: twenty kinds of hostile endpoints slow nobody else down', async () => {
  const names = Object.keys(hostile.urls);
  expect(names).toHaveLength(20);
  const others = await Promise.all(Array.from({ length: healthyAccounts }, () => customerAt(healthy.url)));
  await deliver(others, 10);
  const before = await deliver(others, secondsOfMeasuring);
  const memoryBefore = memoryMb();

  const customers = await Promise.all(names.map((name) => customerAt(hostile.urls[name] ?? '')));
  const hostileOnes = queueAtPace(customers, secondsOfMeasuring);
  const during = await deliver(others, secondsOfMeasuring);
  await hostileOnes;
  const growth = memoryMb().map((mb, copy) => mb - (memoryBefore[copy] ?? 0));

  const attempts = Map.groupBy(await attemptsOf(customers), ({ account_id }) => account_id);
  const ended = [...attempts.values()].flat().flatMap(({ duration_ms }) => duration_ms ?? []);
  const [p99Before, p99During] = [before, during].map((delays) => quantile(delays, 0.99));
  reportFigure(
    'W4',
    `20 kinds of hostile endpoints: ${ended.length} attempts, the longest ${Math.max(...ended)} ms; webhooks of others arrived after ${quantile(before, 0.5).toFixed(0)} ms (p50) and ${p99Before?.toFixed(0)} ms (p99) before, ${quantile(during, 0.5).toFixed(0)} and ${p99During?.toFixed(0)} ms meanwhile; memory of the two copies grew by ${growth.map((mb) => mb.toFixed(0)).join(' and ')} MB`,
  );
  for (const [index, { id }] of customers.entries()) {
    const own = attempts.get(id) ?? [];
    expect([names[index], own.some(({ type }) => type !== 'WebhookAttemptStarted')]).toEqual([
      names[index],
      true,
    ]);
    expect([names[index], mostAtOnce(own)]).toEqual([names[index], Math.min(4, mostAtOnce(own))]);
  }
  expect(Math.max(...ended)).toBeLessThan(timeLimitMs + 1_000);
  expect(p99During).toBeLessThan(2 * Math.max(p99Before ?? 0, unnoticedMs));
  for (const mb of growth) expect(mb).toBeLessThan(50);
});
