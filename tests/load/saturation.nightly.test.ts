import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack, startStack } from '@parley/testing';
import { type EndedRequest, httpRequest, runLoad } from '@parley/testing/load';
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
  });
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  for (let n = 0; n < accounts; n += 1) keys.push((await registerTestAccount(bus)).key);
  await bus.close();
});
afterAll(async () => {
  await stack?.stop();
});

/** What became of requests, by how they ended; milliseconds each. */
class Tally {
  readonly served: number[] = [];
  readonly refused: number[] = [];
  refusedWithoutRetryAfter = 0;
  readonly others = new Map<number, number>();

  add({ status, ms, answer }: EndedRequest): void {
    if (status >= 200 && status < 300) this.served.push(ms);
    else if (status === 503 || status === 429) {
      this.refused.push(ms);
      if (!/\r\nretry-after: *\d/i.test(answer)) this.refusedWithoutRetryAfter += 1;
    } else this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }

  get p99(): number {
    return quantile(this.served, 0.99);
  }
}

let made = 0;

/** Half creations, half lists. */
function nextRequest(): string {
  const n = made++;
  const key = keys[(n >> 1) % accounts] ?? '';
  if (n % 2 === 1) return httpRequest('GET', '/api/user/folders?per_page=1', key);
  return httpRequest('POST', '/api/user/folder', key, `{"name":"Folder ${n}"}`);
}

interface Load {
  readonly seconds: number;
  /** Clients, each with its next request as soon as the last is answered, if `perSecond` does not say otherwise. */
  readonly clients: number;
  readonly perSecond?: number;
}

/** Half of the load on each gateway. */
async function measure({ seconds, clients, perSecond }: Load): Promise<Tally> {
  const tally = new Tally();
  const share = 1 / stack.gatewayUrls.length;
  await Promise.all(
    stack.gatewayUrls.map((url) =>
      runLoad({
        port: Number(new URL(url).port),
        connections: clients * share,
        durationMs: seconds * 1_000,
        request: nextRequest,
        onEnd: (ended) => tally.add(ended),
        ...(perSecond && { perSecond: perSecond * share }),
      }),
    ),
  );
  return tally;
}

const memoryMb = (): number =>
  residentMb(
    stack
      .processes()
      .filter(({ service }) => !['postgres', 'nats', 'sandbox'].includes(service))
      .map(({ pid }) => pid),
  );
/** Enough for every request of an overload that is answered within two tenths of a second. */
const clientsOfOverload = 2_000;

test(`L6: twice as many requests as can be served, for ${secondsOfOverload} s, are refused quickly and forgotten as quickly`, async () => {
  const pids = stack.processes().map(({ pid }) => pid);
  await measure({ clients: 64, seconds: secondsOfMeasuring });
  const saturated = await measure({ clients: 64, seconds: secondsOfMeasuring });
  const perSecond = saturated.served.length / secondsOfMeasuring;
  const normal = await measure({ clients: 8, seconds: secondsOfMeasuring });
  const before = memoryMb();
  const overload = await measure({
    clients: clientsOfOverload,
    seconds: secondsOfOverload,
    perSecond: 2 * perSecond,
  });
  const endedAt = performance.now();
  const after = await eventually(
    async () => {
      const again = await measure({ clients: 8, seconds: 2 });
      if (again.p99 > 2 * normal.p99) throw new Error(`p99 is still ${again.p99} ms.`);
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
  const { served, refused, others } = overload;
  const inMs = (share: number) => quantile(refused, share).toFixed(0);
  const asked = served.length + refused.length + [...others.values()].reduce((sum, count) => sum + count, 0);
  reportFigure(
    'L6',
    `${perSecond.toFixed(0)} requests/s served at most; ${(asked / secondsOfOverload).toFixed(0)}/s for ${secondsOfOverload} s: ${served.length} served, ${refused.length} refused in ${inMs(0.5)} ms (p50) and ${inMs(0.99)} ms (p99, the generator's own delay included), others by status: ${JSON.stringify([...others])}; p99 normal again after ${(after / 1_000).toFixed(1)} s; memory ${before.toFixed(0)} MB before, ${memory.toFixed(0)} MB after`,
  );
  // Fewer would be no overload: then connections were too few, or the generator too slow.
  expect(asked).toBeGreaterThan(1.9 * perSecond * secondsOfOverload);
  expect([...others]).toEqual([]);
  expect(overload.refusedWithoutRetryAfter).toBe(0);
  expect(stack.processes().map(({ pid }) => pid)).toEqual(pids);
  expect(after).toBeLessThan(10_000);
  expect(memory).toBeLessThan(before * 1.2);
});
