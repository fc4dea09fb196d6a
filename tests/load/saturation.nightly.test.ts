import { setTimeout as sleep } from 'node:timers/promises';
import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { quantile, reportFigure } from '../support/figures.ts';
import { residentMb } from '../support/memory.ts';

const secondsOfOverload = Number(process.env.PARLEY_OVERLOAD_SECONDS ?? 300);
const secondsOfMeasuring = 10;
/** Requests that may wait at once; what comes on top is refused. Small, so that a generator on the same machine gets there. */
const maxWaiting = 200;

/** A list counts what its account has, and overload makes many. */
const accounts = 200;

let stack: RunningStack;
const keys: string[] = [];
beforeAll(async () => {
  stack = await startStack({
    copies: { gateway: 2, accounts: 2, assistants: 2 },
    env: { MAX_WAITING_REQUESTS: String(maxWaiting) },
    timeoutMs: 150_000,
  });
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  for (let n = 0; n < accounts; n += 1) keys.push((await registerTestAccount(bus)).key);
  await bus.close();
});
afterAll(async () => {
  await stack?.stop();
});

interface Seen {
  readonly status: number;
  readonly ms: number;
  readonly hasRetryAfter: boolean;
}
const dispatcher = new Agent({ connections: 2_000, pipelining: 1 });
let made = 0;

/** Half creations, half lists. */
async function ask(): Promise<Seen> {
  const n = made++;
  const url = stack.gatewayUrls[n % stack.gatewayUrls.length] ?? '';
  const isCommand = n % 2 === 0;
  const startedAt = performance.now();
  const answer = await request(`${url}/api/user/${isCommand ? 'folder' : 'folders?per_page=1'}`, {
    dispatcher,
    method: isCommand ? 'POST' : 'GET',
    headers: {
      authorization: `Bearer ${keys[Math.floor(n / 2) % accounts]}`,
      'content-type': 'application/json',
    },
    body: isCommand ? JSON.stringify({ name: `Folder ${n}` }) : null,
  });
  await answer.body.dump();
  const ms = performance.now() - startedAt;
  return { status: answer.statusCode, ms, hasRetryAfter: answer.headers['retry-after'] !== undefined };
}

/** So many clients, each with its next request as soon as the last is answered. */
async function measure(clients: number, seconds: number): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < endsAt) seen.push(await ask());
    }),
  );
  return seen;
}

/** So many requests a second, whatever becomes of them. */
async function pour(perSecond: number, seconds: number): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const asked: Promise<unknown>[] = [];
  const startedAt = performance.now();
  let begun = 0;
  while (performance.now() - startedAt < seconds * 1_000) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    for (; begun < due; begun += 1)
      asked.push(
        ask().then(
          (each) => seen.push(each),
          (error: unknown) => seen.push({ status: 0, ms: 0, hasRetryAfter: String(error) === '' }),
        ),
      );
    await sleep(5);
  }
  await Promise.all(asked);
  return seen;
}

const memoryMb = (): number =>
  residentMb(
    stack
      .processes()
      .filter(({ service }) => !['postgres', 'nats', 'sandbox'].includes(service))
      .map(({ pid }) => pid),
  );
const p99 = (seen: readonly Seen[]) =>
  quantile(
    seen.filter(({ status }) => status < 300).map(({ ms }) => ms),
    0.99,
  );

test(`L6: twice as many requests as can be served, for ${secondsOfOverload} s, are refused quickly and forgotten as quickly`, async () => {
  const pids = stack.processes().map(({ pid }) => pid);
  await measure(64, secondsOfMeasuring);
  const saturated = await measure(64, secondsOfMeasuring);
  const perSecond = saturated.length / secondsOfMeasuring;
  const normal = await measure(8, secondsOfMeasuring);
  const before = memoryMb();
  const seen = await pour(2 * perSecond, secondsOfOverload);
  const endedAt = performance.now();
  const after = await eventually(
    async () => {
      const again = await measure(8, 2);
      if (p99(again) > 2 * p99(normal)) throw new Error(`p99 is still ${p99(again)} ms.`);
      return performance.now() - endedAt;
    },
    60_000,
    0,
  );
  const memory = await eventually(
    () => {
      const now = memoryMb();
      if (now > before * 1.2) throw new Error(`${now} MB instead of ${before} MB`);
      return now;
    },
    60_000,
    1_000,
  ).catch(memoryMb);
  const refused = seen.filter(({ status }) => status === 503 || status === 429);
  const others = seen.filter(({ status }) => status >= 300 && status !== 503 && status !== 429);
  const cut = seen.filter(({ status }) => status === 0);
  reportFigure(
    'L6',
    `${perSecond.toFixed(0)} requests/s served at most; ${(2 * perSecond).toFixed(0)}/s for ${secondsOfOverload} s: ${seen.length - refused.length - others.length - cut.length} served, ${refused.length} refused in ${quantile(
      refused.map(({ ms }) => ms),
      0.5,
    ).toFixed(0)} ms (p50) and ${quantile(
      refused.map(({ ms }) => ms),
      0.99,
    ).toFixed(
      0,
    )} ms (p99, the generator's own delay included), ${others.length} other statuses, ${cut.length} cut; p99 normal again after ${(after / 1_000).toFixed(1)} s; memory ${before.toFixed(0)} MB before, ${memory.toFixed(0)} MB after`,
  );
  expect(others).toEqual([]);
  expect(cut).toEqual([]);
  expect(refused.filter(({ hasRetryAfter }) => !hasRetryAfter)).toEqual([]);
  expect(stack.processes().map(({ pid }) => pid)).toEqual(pids);
  expect(after).toBeLessThan(10_000);
  expect(memory).toBeLessThan(before * 1.2);
});
