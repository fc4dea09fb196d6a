import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { topUpBalance } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import pg from 'pg';
import { ask, type SeededAccount, seedAccounts } from '../http/parley.ts';
import { databaseOf, inTurn } from '../http/setup.ts';
import { atMost, type Section } from '../report/section.ts';
import { sendJson } from '../send/side.ts';
import type { EventsBenchOptions } from './events.ts';
import { type Latencies, latenciesOf, overRounds } from './latencies.ts';
import { startTimedReceiver, type TimedReceiver } from './receiver.ts';

const accounts = 8;
const rates = [5, 20];
const goals = { rate: 20, p50Ms: 25 };

/** From the end of a call, as telephony records it, to the customer's server. */
export async function runWebhooksBench({ rounds, durationMs }: EventsBenchOptions): Promise<Section> {
  const stack = await startStack();
  const receiver = await startTimedReceiver();
  const telephony = new pg.Pool({ connectionString: databaseOf(stack, 'telephony'), max: 1 });
  try {
    const numbers = await connectAssistants(stack, receiver);
    const measure = async (perSecond: number, forMs: number): Promise<Latencies> => {
      const known = new Set(receiver.cameAt.keys());
      const calls = await makeCalls(stack, numbers, perSecond, forMs);
      const isNew = (id: string) => !known.has(id);
      await eventually(async () => {
        const came = [...receiver.cameAt.keys()].filter(isNew).length;
        if (came !== calls) throw new Error(`${came} webhooks of ${calls} calls came.`);
      }, 60_000);
      return latenciesOf(await latenciesSince(telephony, receiver, isNew));
    };
    await measure(10, 2_000);
    const rows: Row[] = [];
    for (const perSecond of rates) {
      const results: Latencies[] = [];
      for (let round = 0; round < rounds; round += 1) results.push(await measure(perSecond, durationMs));
      rows.push({ perSecond, latencies: overRounds(results) });
    }
    return sectionOf(rows);
  } finally {
    await telephony.end();
    await receiver.close();
    await stack.stop();
  }
}

/** An assistant with a number and a webhook for each account; their numbers. */
async function connectAssistants(stack: RunningStack, receiver: TimedReceiver): Promise<string[]> {
  const seeded = await seedAccounts(stack.natsUrl, accounts, 0);
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'bench' });
  try {
    for (const { id } of seeded) {
      const payment = { amount_micros: 10_000_000_000, description: 'Bench', reference: null };
      await ask(bus, topUpBalance, { account_id: id, ...payment });
    }
  } finally {
    await bus.close();
  }
  return Promise.all(seeded.map((account, n) => connectAssistant(stack, account, n, receiver.url)));
}

async function connectAssistant(
  { baseUrl }: RunningStack,
  { key }: SeededAccount,
  n: number,
  webhookUrl: string,
): Promise<string> {
  const post = <T>(path: string, body: object) =>
    sendJson<T>('POST', `${baseUrl}/api/user/${path}`, body, key);
  const number = `+49302${String(n).padStart(6, '0')}`;
  const trunk = await post<{ data: { id: number } }>('phone-numbers/sip-trunks', {
    ...{ phone_number: number, nickname: 'Bench', sip_address: 'sip.example.com:5061', country_code: 'DE' },
    ...{ sip_username: 'bench', sip_password: randomUUID() },
  });
  const assistant = await post<{ data: { id: number } }>('assistant', {
    ...{ name: 'Bench', type: 'inbound', mode: 'pipeline', voice_id: 1, language_id: 1, llm_model_id: 1 },
    ...{ timezone: 'Europe/Berlin', initial_message: 'Hello!', system_prompt: 'You are helpful.' },
    phone_number_id: trunk.data.id,
  });
  await post('assistants/enable-webhook', { assistant_id: assistant.data.id, webhook_url: webhookUrl });
  return number;
}

let customers = 0;

/** Inbound calls that are over at once, at a given rate; how many. */
async function makeCalls(
  { sandboxUrl }: RunningStack,
  numbers: readonly string[],
  perSecond: number,
  durationMs: number,
): Promise<number> {
  const startedAt = performance.now();
  const calls: Promise<unknown>[] = [];
  for (; (calls.length * 1_000) / perSecond < durationMs; ) {
    const turnAt = startedAt + (calls.length * 1_000) / perSecond;
    await sleep(Math.max(0, turnAt - performance.now()));
    customers += 1;
    const call = {
      ...{ direction: 'inbound', outcome: 'completed', duration_s: 1 },
      from: `+49151${String(customers).padStart(8, '0')}`,
      to: inTurn(numbers, customers),
    };
    calls.push(sendJson('POST', `${sandboxUrl}/control/calls`, call));
  }
  await Promise.all(calls);
  return calls.length;
}

async function latenciesSince(
  telephony: pg.Pool,
  { cameAt }: TimedReceiver,
  isWanted: (eventId: string) => boolean,
): Promise<number[]> {
  const wanted = [...cameAt].filter(([eventId]) => isWanted(eventId));
  const { rows } = await telephony.query<{ event_id: string; at: number }>({
    text: `select event_id, extract(epoch from recorded_at)::float8 * 1000 as at from es.events
           where event_id = any ($1::uuid[]) and type = 'CallEnded'`,
    values: [wanted.map(([eventId]) => eventId)],
  });
  if (rows.length !== wanted.length) throw new Error(`${rows.length} calls of ${wanted.length} webhooks.`);
  return rows.map(({ event_id: eventId, at }) => (cameAt.get(eventId) ?? Number.NaN) - at);
}

interface Row {
  readonly perSecond: number;
  readonly latencies: Latencies;
}

const sectionOf = (rows: readonly Row[]): Section => ({
  title: 'From an event to the customer’s webhook',
  notes: [
    'Inbound calls end at a given rate; each assistant has a post-call webhook to a server in the process of the load. The time is from the time of record of `CallEnded` in telephony, over NATS to assistants, which queues, signs and sends the webhook with a durable record before and after each step, to the arrival of the request. Each call must lead to one webhook.',
  ],
  tables: [
    {
      columns: [
        { name: 'calls/s' },
        { name: 'webhooks' },
        ...['p50 ms', 'p99 ms', 'slowest ms'].map((name) => ({ name, digits: 1 })),
      ],
      rows: rows.map(({ perSecond, latencies: { count, p50Ms, p99Ms, slowestMs } }) => [
        ...[perSecond, count],
        ...[p50Ms, p99Ms, slowestMs].map((value) => Number(value.toFixed(2))),
      ]),
    },
  ],
  charts: [],
  goals: rows
    .filter(({ perSecond }) => perSecond === goals.rate)
    .map(({ perSecond, latencies }) =>
      atMost(`event to webhook at ${perSecond} calls/s: p50`, latencies.p50Ms, goals.p50Ms, 'ms'),
    ),
});
