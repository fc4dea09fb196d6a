import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Lanes, type LanesOptions } from './lanes.ts';
import { createClaim } from './line.fixture.ts';
import type { Unclaimed } from './line.ts';

/** Lanes whose runs end when the test says so. */
function setUp(options: Partial<LanesOptions> = {}) {
  const running = new Map<string, () => void>();
  const ran: string[] = [];
  const fetched: string[] = [];
  const lanes: Lanes = new Lanes({
    maxPerLane: 2,
    maxWaiting: 10,
    maxWaitingPerAccount: 10,
    maxWaitingPerLane: 3,
    maxPutOff: 100,
    takePlace: async () => ({ lost: new AbortController().signal, release: async () => undefined }),
    fetch: async ({ job }) => {
      fetched.push(job.delivery_id);
      lanes.offer(createClaim(job.delivery_id, job.url));
    },
    run: ({ job, leasedUntil }) => {
      ran.push(`${job.delivery_id}@${leasedUntil}`);
      return new Promise((resolve) => running.set(job.delivery_id, resolve));
    },
    ...options,
  });
  // What waits for room would go on asking for it during the tests that follow.
  onTestFinished(() => void lanes.close());
  const finish = async (id: string) => {
    running.get(id)?.();
    running.delete(id);
    await settle();
  };
  /** Asks for room, and takes it or is put off. */
  const arrive = (id: string, url?: string) => {
    const claim = createClaim(id, url);
    const putOffMs = lanes.putOffMs(claim);
    if (putOffMs === null) lanes.offer(claim);
    else lanes.remember(putOff(id, url));
    return putOffMs;
  };
  return { lanes, running, ran, fetched, finish, arrive };
}
function putOff(id: string, url?: string): Unclaimed {
  const { job, metadata } = createClaim(id, url);
  return { job, metadata, dueAt: '2' };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  test('have a place for what would be sent at once: not behind others, and not for what is there already', async () => {
    const { lanes, finish } = setUp();
    expect(lanes.isFree(createClaim('a'))).toBe(true);
    lanes.offer(createClaim('a'));
    await settle();
    expect(lanes.isFree(createClaim('a'))).toBe(false);
    expect(lanes.isFree(createClaim('b'))).toBe(true);
    lanes.offer(createClaim('b'));
    expect(lanes.isFree(createClaim('c'))).toBe(false);
    expect(lanes.isFree(createClaim('d', 'https://b.example'))).toBe(true);
    await settle();
    await finish('a');
    expect(lanes.isFree(createClaim('c'))).toBe(true);
    void lanes.close();
    expect(lanes.isFree(createClaim('c'))).toBe(false);
  });

  test('run so many of an endpoint at a time, in order, and another endpoint is not held up', async () => {
    const { lanes, running, finish } = setUp();
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(createClaim(id));
    lanes.offer(createClaim('e', 'https://b.example'));
    await settle();
    expect([...running.keys()]).toEqual(['a', 'b', 'e']);
    await finish('b');
    expect([...running.keys()]).toEqual(['a', 'e', 'c']);
    await finish('a');
    expect([...running.keys()]).toEqual(['e', 'c', 'd']);
  });

  test('keep a delivery once, with its newest lease', async () => {
    const { lanes, ran, finish } = setUp({ maxPerLane: 1 });
    lanes.offer(createClaim('a'));
    lanes.offer(createClaim('b'));
    await settle();
    lanes.offer(createClaim('a', undefined, '2'));
    lanes.offer(createClaim('b', undefined, '2'));
    await finish('a');
    expect(ran).toEqual(['a@1', 'b@2']);
    await finish('b');
    expect(ran).toHaveLength(2);
    lanes.offer(createClaim('b', undefined, '3'));
    await settle();
    expect(ran).toEqual(['a@1', 'b@2', 'b@3']);
  });

  test('put off what has no room, and never what has its place', async () => {
    const { lanes } = setUp({ maxPerLane: 1, maxWaiting: 6 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(createClaim(id));
    await settle();
    expect(lanes.putOffMs(createClaim('e'))).toBe(500);
    expect(lanes.putOffMs(createClaim('a'))).toBeNull();
    expect(lanes.putOffMs(createClaim('d'))).toBeNull();
    expect(lanes.putOffMs(createClaim('e', 'https://b.example'))).toBeNull();
    lanes.offer(createClaim('e', 'https://b.example'));
    lanes.offer(createClaim('f', 'https://c.example'));
    expect(lanes.putOffMs(createClaim('g', 'https://d.example'))).toBe(500);
  });

  test('have room for others, however many endpoints an account has, and how slow they are', async () => {
    const { lanes, running, fetched, finish, arrive } = setUp({ maxWaiting: 4, maxWaitingPerAccount: 2 });
    const url = (n: number) => `https://${n}.example`;
    for (let n = 0; n < 9; n += 1) arrive(`a${n}`, url(n % 2));
    await settle();
    expect([...running.keys()]).toEqual(['a0', 'a1']);
    const others = ['b', 'c'].map((id, n) => createClaim(id, url(0), '1', 4 + n));
    for (const claim of others) {
      expect(lanes.putOffMs(claim)).toBeNull();
      lanes.offer(claim);
    }
    await settle();
    expect([...running.keys()]).toEqual(['a0', 'a1', 'b', 'c']);
    await finish('b');
    expect(lanes.putOffMs(createClaim('a9', url(9)))).toBe(500);
    await finish('a1');
    await expect.poll(() => fetched).toEqual(['a3']);
  });

  test('have what finds no room come back one after the other, however many endpoints it is for', () => {
    const { lanes } = setUp({ maxWaiting: 3, maxWaitingPerAccount: 2 });
    const url = (n: number) => `https://${n}.example`;
    const putOffMs = (n: number, accountId?: number) =>
      lanes.putOffMs(createClaim(`${accountId}-${n}`, url(n), '1', accountId)) ?? 0;
    for (let n = 0; n < 2; n += 1) lanes.offer(createClaim(`a${n}`, url(n)));
    const times = Array.from({ length: 500_000 }, (_, n) => putOffMs(n + 2));
    expect(times[0]).toBe(500);
    // At most 1,000 a second, until the wait would be longer than five minutes.
    expect(times[50_000]).toBeGreaterThan(40_000);
    expect(times.at(-1)).toBe(300_000);
    lanes.offer(createClaim('b', url(0), '1', 4));
    expect(putOffMs(1, 5)).toBe(500);
  });

  test('put off the more the longer the line is', async () => {
    const { lanes } = setUp({ maxPerLane: 1 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(createClaim(id));
    await settle();
    // One is taken to last 100 ms: 3 wait, and each that is put off joins them.
    const times = Array.from({ length: 10_000 }, (_, n) => lanes.putOffMs(createClaim(`later-${n}`)) ?? 0);
    expect(times[0]).toBe(500);
    expect(times[97]).toBeGreaterThan(9_000);
    expect(times[97]).toBeLessThanOrEqual(10_000);
  });

  test('have what they fetch themselves come back soon by itself, too, in case nobody is left to fetch it', async () => {
    const { lanes, arrive } = setUp({ maxPerLane: 1, maxPutOff: 1_000 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(createClaim(id));
    await settle();
    const times = Array.from({ length: 1_001 }, (_, n) => arrive(`later-${n}`) ?? 0);
    expect(times[97]).toBeLessThanOrEqual(10_000);
    expect(times[999]).toBe(30_000);
    // One more than is remembered: it comes when its turn is, and those that came by themselves have not moved that.
    expect(times[1_000]).toBeGreaterThan(95_000);
    for (let n = 0; n < 1_000; n += 1) expect(arrive(`later-${n}`)).toBe(30_000);
    expect(arrive('last')).toBeLessThan(110_000);
  });

  test('fetch what was put off as soon as the line is short, in order, and whoever comes then is behind it', async () => {
    const { lanes, ran, fetched, finish, arrive } = setUp({ maxPerLane: 1, maxWaitingPerLane: 4 });
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) arrive(id);
    await settle();
    await finish('a');
    expect(arrive('h')).not.toBeNull();
    expect(fetched).toEqual([]);
    await finish('b');
    expect(fetched).toEqual(['f', 'g']);
    for (const id of ['c', 'd', 'e', 'f', 'g', 'h']) await finish(id);
    expect(ran.map((run) => run.split('@')[0])).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(lanes.putOffMs(createClaim('i'))).toBeNull();
  });

  test('go on when what was put off is somebody else’s by now, or cannot be fetched', async () => {
    const answers = [async () => undefined, async () => Promise.reject(new Error('no database'))];
    for (const fetch of answers) {
      const { running, finish, arrive } = setUp({ maxPerLane: 1, maxWaitingPerLane: 1, fetch });
      for (const id of ['a', 'b', 'c']) arrive(id);
      await settle();
      await finish('a');
      await finish('b');
      expect(arrive('d')).toBeNull();
      await settle();
      expect([...running.keys()]).toEqual(['d']);
    }
  });

  test('fetch what was put off once others leave room, and remember only so many', async () => {
    const { fetched, running, finish, arrive } = setUp({ maxPerLane: 1, maxWaiting: 3, maxPutOff: 2 });
    arrive('a');
    for (const id of ['x', 'y']) arrive(id, 'https://b.example');
    for (const id of ['b', 'c', 'd']) expect(arrive(id)).not.toBeNull();
    await settle();
    await finish('a');
    // In place of the one that is done; the others wait until there is room.
    expect(fetched).toEqual(['b']);
    await finish('x');
    await expect.poll(() => fetched).toEqual(['b', 'c']);
    for (const id of ['b', 'c', 'y']) await finish(id);
    expect([fetched, running.size]).toEqual([['b', 'c'], 0]);
  });

  test('ask for room one at a time while others have it all, however much goes on meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { lanes, fetched, finish, arrive } = setUp({ maxPerLane: 1, maxWaiting: 3, maxWaitingPerLane: 10 });
    arrive('a');
    for (const id of ['x', 'y']) arrive(id, 'https://b.example');
    for (const id of ['b', 'c']) arrive(id);
    for (const id of ['d', 'e']) {
      lanes.offer(createClaim(id));
      await settle();
    }
    for (let round = 0; round < 5; round += 1) {
      await settle();
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersToNextTimer();
    }
    for (const id of ['x', 'a', 'd']) await finish(id);
    vi.advanceTimersToNextTimer();
    await settle();
    expect(fetched).toEqual(['b']);
  });

  test('wait for a place that another copy holds', async () => {
    let free = false;
    const { lanes, ran } = setUp({
      takePlace: async () =>
        free ? { lost: new AbortController().signal, release: async () => undefined } : undefined,
    });
    lanes.offer(createClaim('a'));
    await settle();
    expect(ran).toEqual([]);
    free = true;
    await expect.poll(() => ran).toEqual(['a@1']);
  });

  test('begin nothing more once they are closed, and are closed when nothing runs', async () => {
    const { lanes, running, ran, finish } = setUp({ maxPerLane: 1 });
    lanes.offer(createClaim('a'));
    lanes.offer(createClaim('b'));
    await settle();
    let isClosed = false;
    const closing = lanes.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    expect(lanes.putOffMs(createClaim('c'))).not.toBeNull();
    // What was claimed before, and comes only now.
    lanes.offer(createClaim('d'));
    await finish('a');
    await closing;
    expect([ran, running.size]).toEqual([['a@1'], 0]);
  });
});
