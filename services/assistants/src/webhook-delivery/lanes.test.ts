import { describe, expect, test } from 'vitest';
import { type Claim, Lanes, type LanesOptions } from './lanes.ts';

const claim = (id: string, url = 'https://a.example', leasedUntil = '1'): Claim => ({
  job: {
    delivery_id: id,
    account_id: 3,
    event: 'post_call',
    sequence: 1,
    url,
    correlation_id: 'request-1',
    causation_id: null,
  },
  leasedUntil,
  metadata: {
    correlationId: 'request-1',
    causationId: 'x',
    commandId: null,
    actor: { kind: 'system', id: 'x' },
  },
});

/** Lanes whose runs end when the test says so. */
function setUp(options: Partial<LanesOptions> = {}) {
  const running = new Map<string, () => void>();
  const ran: string[] = [];
  const lanes = new Lanes({
    maxPerLane: 2,
    maxWaiting: 10,
    maxWaitingPerLane: 3,
    takePlace: async () => ({ lost: new AbortController().signal, release: async () => undefined }),
    run: ({ job, leasedUntil }) => {
      ran.push(`${job.delivery_id}@${leasedUntil}`);
      return new Promise((resolve) => running.set(job.delivery_id, resolve));
    },
    ...options,
  });
  const finish = async (id: string) => {
    running.get(id)?.();
    running.delete(id);
    await settle();
  };
  return { lanes, running, ran, finish };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  test('run so many of an endpoint at a time, in order, and another endpoint is not held up', async () => {
    const { lanes, running, finish } = setUp();
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(claim(id));
    lanes.offer(claim('e', 'https://b.example'));
    await settle();
    expect([...running.keys()]).toEqual(['a', 'b', 'e']);
    await finish('b');
    expect([...running.keys()]).toEqual(['a', 'e', 'c']);
    await finish('a');
    expect([...running.keys()]).toEqual(['e', 'c', 'd']);
  });

  test('keep a delivery once, with its newest lease', async () => {
    const { lanes, ran, finish } = setUp({ maxPerLane: 1 });
    lanes.offer(claim('a'));
    lanes.offer(claim('b'));
    await settle();
    lanes.offer(claim('a', undefined, '2'));
    lanes.offer(claim('b', undefined, '2'));
    await finish('a');
    expect(ran).toEqual(['a@1', 'b@2']);
    await finish('b');
    expect(ran).toHaveLength(2);
    lanes.offer(claim('b', undefined, '3'));
    await settle();
    expect(ran).toEqual(['a@1', 'b@2', 'b@3']);
  });

  test('put off what has no room, and never what has its place', async () => {
    const { lanes } = setUp({ maxPerLane: 1, maxWaiting: 6 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(claim(id));
    await settle();
    expect(lanes.putOffMs(claim('e'))).toBe(500);
    expect(lanes.putOffMs(claim('a'))).toBeNull();
    expect(lanes.putOffMs(claim('d'))).toBeNull();
    expect(lanes.putOffMs(claim('e', 'https://b.example'))).toBeNull();
    lanes.offer(claim('e', 'https://b.example'));
    lanes.offer(claim('f', 'https://c.example'));
    expect(lanes.putOffMs(claim('g', 'https://d.example'))).toBe(500);
  });

  test('put off the more the longer the line is, until its turn comes, at most five minutes', async () => {
    const { lanes, finish } = setUp({ maxPerLane: 1 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(claim(id));
    await settle();
    // One is taken to last 100 ms: 3 wait, and each that is put off joins them.
    const times = Array.from({ length: 10_000 }, (_, n) => lanes.putOffMs(claim(`later-${n}`)));
    expect([times[0], times[5], times[97], times[5000]]).toEqual([500, 800, 10_000, 300_000]);
    await finish('a');
    expect(lanes.putOffMs(claim('later'))).toBeNull();
  });

  test('wait for a place that another copy holds', async () => {
    let free = false;
    const { lanes, ran } = setUp({
      takePlace: async () =>
        free ? { lost: new AbortController().signal, release: async () => undefined } : undefined,
    });
    lanes.offer(claim('a'));
    await settle();
    expect(ran).toEqual([]);
    free = true;
    await expect.poll(() => ran).toEqual(['a@1']);
  });

  test('begin nothing more once they are closed, and are closed when nothing runs', async () => {
    const { lanes, running, ran, finish } = setUp({ maxPerLane: 1 });
    lanes.offer(claim('a'));
    lanes.offer(claim('b'));
    await settle();
    let isClosed = false;
    const closing = lanes.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    expect(lanes.putOffMs(claim('c'))).not.toBeNull();
    await finish('a');
    await closing;
    expect([ran, running.size]).toEqual([['a@1'], 0]);
  });
});
