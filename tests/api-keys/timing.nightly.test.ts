import { connectBusClient } from '@parley/message-bus';
import { type RunningStack, startStack } from '@parley/testing';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { reportFigure } from '../support/figures.ts';
import { randomNumbers, seed } from '../support/tier.ts';

const each = 20_000;
/** Above it, two means differ by more than chance (one in a hundred thousand). */
const greatestT = 4.5;
/** Milliseconds that the canary takes longer: where chance hides so much, the others tell nothing. */
const canaryMs = 0.1;

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

/** Welch's t of two samples, each without its slowest and quickest percent. */
function welch(first: readonly number[], second: readonly number[]): number {
  const [a, b] = [first, second].map((values) => {
    const sorted = values.toSorted((x, y) => x - y);
    const kept = sorted.slice(sorted.length / 100, -sorted.length / 100);
    const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
    const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (kept.length - 1);
    return { mean, error: variance / kept.length };
  });
  if (!a || !b) return 0;
  return (a.mean - b.mean) / Math.sqrt(a.error + b.error);
}

test(`S3: how long a refusal takes does not tell a deleted key from one that never was (seed ${seed})`, async ({
  skip,
}) => {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { key } = await registerTestAccount(bus);
  await bus.close();
  const owner = createApi(stack.baseUrl, key);
  const made = await owner.post('/api/user/api-keys', { name: 'short-lived' });
  const { id, token } = (made.body as { api_key: { id: number; token: string } }).api_key;
  expect((await owner.delete(`/api/user/api-keys/${id}`)).status).toBe(200);
  // All but the last character of a good key.
  const last = key.endsWith('A') ? 'B' : 'A';
  const kinds = {
    deleted: token,
    unknown: `parley_${'A'.repeat(43)}`,
    'almost right': `${key.slice(0, -1)}${last}`,
    canary: `parley_${'B'.repeat(43)}`,
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const times: Record<keyof typeof kinds, number[]> = {
    deleted: [],
    unknown: [],
    'almost right': [],
    canary: [],
  };
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  const random = randomNumbers();
  for (let n = 0; n < each * names.length; n += 1) {
    const name = names[Math.floor(random() * names.length)] ?? 'unknown';
    const headers = { authorization: `Bearer ${kinds[name]}` };
    const startedAt = performance.now();
    const answer = await request(`${stack.baseUrl}/api/user/folders`, { dispatcher, headers });
    await answer.body.dump();
    times[name].push(performance.now() - startedAt + (name === 'canary' ? canaryMs : 0));
    expect(answer.statusCode).toBe(401);
  }
  await dispatcher.close();
  const ts = [
    ['deleted and unknown', welch(times.deleted, times.unknown)],
    ['almost right and unknown', welch(times['almost right'], times.unknown)],
  ] as const;
  const canaryT = welch(times.canary, times.unknown);
  reportFigure(
    'S3',
    `${each * names.length} refusals; Welch's t of ${ts.map(([name, t]) => `${name} ${t.toFixed(2)}`).join(', of ')}; ${canaryT.toFixed(2)} where it takes ${canaryMs} ms longer; seed ${seed}`,
  );
  for (const [name, t] of ts) expect(Math.abs(t), name).toBeLessThan(greatestT);
  if (canaryT < greatestT)
    return skip(
      `This machine is too busy: ${canaryMs} ms more would not be noticed (t ${canaryT.toFixed(2)}).`,
    );
});
