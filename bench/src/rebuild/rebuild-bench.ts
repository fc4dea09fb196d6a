import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProjections, type OperatorMessage, operatorSubject, rebuildProjection } from '@parley/contracts';
import { type BusClient, connectBusClient, connectToBus } from '@parley/message-bus';
import { type RunningStack, startStack } from '@parley/testing';
import pg from 'pg';
import type { z } from 'zod';
import { type SeededAccount, seedAccounts } from '../http/parley.ts';
import { median } from '../statistics.ts';
import { rebuildEveryView, timesToRead } from './every-view.ts';
import { fillLog } from './fill-log.ts';
import { forgetPeak, peakRssMib } from './memory.ts';

/** One rebuild of a real view: of folders by a running service, of others by a process that does nothing else. */
export interface RebuildBenchRow {
  readonly service: string;
  readonly view: string;
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly peakRssMib: number;
  /** Requests that the API answered meanwhile, none of which failed; null when nobody asked. */
  readonly requests: number | null;
  readonly slowestMs: number | null;
}

const service = 'assistants';
const projection = 'folders';

/**
 * Rebuilds the view of folders from logs of each size, in a whole stack whose API is read meanwhile, and then every view
 * of every service. Rows that differ from those before, and requests that fail, fail the run.
 */
export async function runRebuildBench([few = 0, many]: readonly number[]): Promise<RebuildBenchRow[]> {
  const beside = await rebuildWhileAsked(many === undefined ? [few] : [few, many]);
  const others = await rebuildEveryView(few, many ?? null);
  return [...beside, ...others.map((row) => ({ ...row, requests: null, slowestMs: null }))];
}

async function rebuildWhileAsked(sizes: readonly number[]): Promise<RebuildBenchRow[]> {
  const rows: RebuildBenchRow[] = [];
  for (const events of sizes) {
    const stack = await startStack();
    const bus = await connectBusClient({ servers: stack.natsUrl, name: 'bench' });
    const url = new URL(stack.databaseUrl);
    url.pathname = `/parley_${service}`;
    const pool = new pg.Pool({ connectionString: url.href, max: 2 });
    try {
      rows.push(await measure(stack, bus, pool, events, timesToRead(Math.max(...sizes), events)));
    } finally {
      await pool.end();
      await bus.close();
      await stack.stop();
    }
  }
  return rows;
}

async function measure(
  stack: RunningStack,
  bus: BusClient,
  pool: pg.Pool,
  events: number,
  times: number,
): Promise<RebuildBenchRow> {
  const [account] = await seedAccounts(stack.natsUrl, 1, 20);
  if (!account) throw new Error('There is no account.');
  await fillLog(pool, account.id, events);
  await untilViewsAreThere(bus);
  await untilPublished(stack.natsUrl, pool);
  const before = await rowsOf(pool);
  const pid = stack.pidOf(service);
  await forgetPeak(pid);
  const reading = readMeanwhile(stack, account);
  const seconds: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const startedAt = performance.now();
    await ask(bus, rebuildProjection, { projection });
    await untilLive(bus);
    seconds.push((performance.now() - startedAt) / 1000);
  }
  const read = await reading.stop();
  const after = await rowsOf(pool);
  if (after !== before) throw new Error(`Before the rebuild ${before}, after it ${after}.`);
  const about = { service, view: projection, events };
  return { ...about, eventsPerSecond: events / median(seconds), peakRssMib: await peakRssMib(pid), ...read };
}

/** Reads the account's folders one request after the other until stopped. */
function readMeanwhile(stack: RunningStack, { key }: SeededAccount) {
  let isOver = false;
  let requests = 0;
  let slowestMs = 0;
  const loop = (async () => {
    while (!isOver) {
      const startedAt = performance.now();
      const response = await fetch(`${stack.baseUrl}/api/user/folders`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.text();
      if (response.status !== 200) throw new Error(`The API answered ${response.status}.`);
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
      requests += 1;
    }
  })();
  return {
    async stop() {
      isOver = true;
      await loop;
      return { requests, slowestMs };
    },
  };
}

/** Every row of the live tables, as one number and their count. */
async function rowsOf(pool: pg.Pool): Promise<string> {
  const { rows: schemas } = await pool.query<{ schema_name: string }>(
    'select schema_name from es.projections where name = $1',
    [projection],
  );
  const schema = schemas[0]?.schema_name;
  const { rows } = await pool.query<{ count: string; sum: string }>(
    `select count(*), sum(hashtextextended(r::text, 0)) as sum
     from (select i::text as r from ${schema}.items i union all select m::text from ${schema}.members m) r`,
  );
  return `${rows[0]?.count} rows ${rows[0]?.sum}`;
}

async function untilViewsAreThere(bus: BusClient): Promise<void> {
  const isBehind = async () =>
    (await ask(bus, listProjections, {})).projections.some(({ position, head }) => position < head);
  while (await isBehind()) await sleep(100);
}

async function untilLive(bus: BusClient): Promise<void> {
  const isUnderWay = async () => {
    const listed = (await ask(bus, listProjections, {})).projections.find(({ name }) => name === projection);
    if (listed?.status === 'failed') throw new Error('The rebuild failed.');
    return listed?.status === 'rebuilding';
  };
  while (await isUnderWay()) await sleep(20);
}

/** What the publisher still has to send would compete with the rebuild. */
async function untilPublished(natsUrl: string, pool: pg.Pool): Promise<void> {
  const connection = await connectToBus({ servers: natsUrl, name: 'bench' });
  const { rows } = await pool.query<{ position: string }>('select position from es.head');
  const lastSequence = async () => {
    const answer = await connection.request(`$JS.API.STREAM.INFO.EVT_${service.toUpperCase()}`, '');
    return Number(JSON.parse(answer.string()).state.last_seq);
  };
  while ((await lastSequence()) < Number(rows[0]?.position)) await sleep(200);
  await connection.close();
}

async function ask<I extends z.ZodType, O extends z.ZodType>(
  bus: BusClient,
  message: OperatorMessage<I, O>,
  input: z.input<I>,
): Promise<z.output<O>> {
  const reply = await bus.request({
    service,
    subject: operatorSubject(service, message),
    payload: JSON.stringify(input),
    context: {
      accountId: null,
      actor: { kind: 'operator', id: 'bench' },
      commandId: message.kind === 'command' ? randomUUID() : null,
      fingerprint: null,
      correlationId: randomUUID(),
      expectedVersion: null,
      baseUrl: null,
      timeoutMs: 10_000,
    },
  });
  if (reply.kind === 'rejected') throw new Error(`${message.name}: ${reply.rejection.code}`);
  return message.output.parse(JSON.parse(reply.body));
}
