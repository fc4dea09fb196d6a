import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { add, type Count, type Counted, counting, newCounter, type Reply } from '../counter.fixture.ts';
import type { Decision, Rejected } from './decider.ts';
import type { ExecuteOptions } from './execute-options.ts';
import type { ExecuteResult } from './execute-result.ts';

type Decide = ExecuteOptions<Count, Counted, Reply>['decide'];

let counter: ReturnType<typeof newCounter>;
/** How many appends each run had. Whoever comes first waits for nobody, and the first of those who do is on its own. */
let runs: number[];
/** What happens before a run arrives at the log. */
let onTheWay: (() => Promise<unknown>)[];

beforeEach(async () => {
  counter = newCounter();
  runs = [];
  onTheWay = [];
  const appendRun = counter.store.appendRun.bind(counter.store);
  counter.store.appendRun = async (requests) => {
    if (requests.length > 0) runs.push(requests.length);
    await onTheWay.shift()?.();
    return appendRun(requests);
  };
  await counter.execute(add(10));
});

const execute = (decide: Decide, overrides: Parameters<typeof counter.execute>[1] = {}) =>
  counter.execute(decide, { inRuns: true, ...overrides });
const many = (count: number, decide: Decide) =>
  Promise.all(Array.from({ length: count }, () => execute(decide)));
const take =
  (amount: number) =>
  ({ sum }: Count): Decision<Counted, Reply> | Rejected =>
    amount > sum ? { code: 'too_little' } : add(-amount)({ sum });
const sums = (results: readonly ExecuteResult[]) =>
  results.map((result) => (result.kind === 'done' ? JSON.parse(result.body).sum : result.rejection.code));
const total = async () => (await counter.aggregates.load(counter.streamId, counting)).state.sum;

test('commands that wait for one stream are decided one on what the other leaves, and appended together', async () => {
  const results = await many(50, add(1));
  expect(sums(results)).toEqual(Array.from({ length: 50 }, (_, index) => 11 + index));
  expect(results).toMatchObject(
    Array.from({ length: 50 }, (_, index) => ({ version: 2 + index, position: 2 + index })),
  );
  expect(runs).toEqual([48]);
  expect(sums([await execute(add(1))])).toEqual([61]);
});

test('what waits for one stream by the thousand is decided in turns, between which others have theirs', async () => {
  const results = await many(1_000, add(1));
  expect(sums(results)).toEqual(Array.from({ length: 1_000 }, (_, index) => 11 + index));
  expect(runs).toEqual([256, 256, 256, 227]);
});

test('of a run that another process has overtaken all is decided again', async () => {
  onTheWay = [() => counter.behind(100), () => counter.behind(1_000)];
  const results = await many(4, add(1));
  expect(sums(results)).toEqual([11, 12, 113, 1_114]);
  expect(runs).toEqual([2, 1]);
});

test('no more is taken than there is, and a no is not for what others only were about to take', async () => {
  expect(sums(await many(5, take(4)))).toEqual([6, 2, 'too_little', 'too_little', 'too_little']);
  onTheWay = [() => counter.behind(8)];
  expect(sums(await many(5, take(2)))).toEqual([0, 6, 4, 2, 0]);
});

test('what looks elsewhere, or does more than append events, has its turn alone', async () => {
  const asked: number[] = [];
  const looking = async (state: Count) => {
    asked.push(state.sum);
    return add(1)(state);
  };
  const claiming = (state: Count) => ({
    ...add(1)(state),
    claims: [{ op: 'take', scope: 'name', key: 'x', owner: 'me' }] as const,
  });
  const results = await Promise.all(
    [add(1), add(1), looking, claiming, add(1), add(1)].map((decide) => execute(decide)),
  );
  expect(sums(results)).toEqual([11, 12, 15, 16, 13, 14]);
  expect(asked).toEqual([12, 14]);
  expect(runs).toEqual([2]);
});

test('a command that is known is answered as it was, and those behind it are decided without it', async () => {
  const command = { commandId: 'd94ee0a3-1c3e-4f5f-a0e6-2d1f6ff1d4c9', fingerprint: null };
  await execute(add(1), { command });
  const results = await Promise.all([
    execute(add(1)),
    execute(add(1), { command }),
    execute(add(1)),
    execute(add(1), { command }),
  ]);
  expect(sums(results)).toEqual([12, 11, 13, 11]);
  expect(await total()).toBe(13);
});

test('a bug in one command, or a log that cannot be written, stops nobody who comes later', async () => {
  const failing = () => {
    throw new Error('a bug');
  };
  const decisions: Decide[] = [add(1), failing, add(1)];
  const [first, failed, second] = await Promise.allSettled(decisions.map((decide) => execute(decide)));
  expect([first, failed, second]).toMatchObject([
    { value: { body: '{"sum":11}' } },
    { reason: { message: 'a bug' } },
    { value: { body: '{"sum":12}' } },
  ]);
  onTheWay = [() => Promise.reject(new Error('away'))];
  const results = await Promise.allSettled([1, 1, 1, 1].map((by) => execute(add(by))));
  expect([results.at(0)?.status, results.at(-1)?.status]).toEqual(['fulfilled', 'rejected']);
  expect(sums([await execute(add(1))])).toEqual([await total()]);
});

test('what can never be appended fails alone among those it waits with', async () => {
  const unstorable = (data: unknown): Decide => {
    return () => ({ events: [{ type: 'Counted', data: { by: 1, ...Object(data) } }], reply: { sum: 0 } });
  };
  const unanswerable: Decide = (state) => ({ ...add(1)(state), reply: Object({ sum: 1n }) });
  const decisions: Decide[] = [
    ...[add(1), add(1), add(1)],
    ...[unanswerable, add(1), unstorable({ by: 1n }), add(1), unstorable({ note: '\0' }), add(1)],
  ];
  const results = await Promise.allSettled(
    decisions.map((decide) => execute(decide, { command: { commandId: randomUUID(), fingerprint: null } })),
  );
  expect(
    results.map((result) => (result.status === 'fulfilled' ? sums([result.value])[0] : 'failed')),
  ).toEqual([11, 12, 13, 'failed', 14, 'failed', 15, 'failed', 16]);
  expect(await total()).toBe(16);
});

test('what is written without that being known counts for who comes later', async () => {
  const { appendRun } = counter.store;
  counter.store.appendRun = async (requests) => {
    counter.store.appendRun = appendRun;
    const [, ...answered] = await appendRun(requests);
    return [{ status: 'rejected', reason: new Error('no answer') }, ...answered];
  };
  const results = await Promise.allSettled([1, 1, 1, 1].map(() => execute(take(2))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(sums(await many(2, take(2)))).toEqual([0, 'too_little']);
  expect(await total()).toBe(0);
});

test('another account sees nothing of the stream in a run either', async () => {
  const seen: number[] = [];
  const look = ({ sum }: Count) => {
    seen.push(sum);
    return { code: 'not_found' };
  };
  await Promise.all([...[1, 1, 1].map((by) => execute(add(by))), execute(look, { accountId: 8 })]);
  expect(new Set(seen)).toEqual(new Set([0]));
});
