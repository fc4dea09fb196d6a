import { describe, expect, test } from 'vitest';
import { type Claim, Lanes, type LanesOptions } from './lanes.ts';

const claim = (id: string, url = 'https://a.example', leasedUntil = '1'): Claim => ({
  job: {
    delivery_id: id,
    account_id: 3,
    event: 'post_call',
    sequence: 1,
    url,
    put_off: 0,
    correlation_id: 'request-1',
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

  test('are full for an endpoint, and in all, but never for what is in them', async () => {
    const { lanes } = setUp({ maxPerLane: 1, maxWaiting: 6 });
    for (const id of ['a', 'b', 'c', 'd']) lanes.offer(claim(id));
    await settle();
    expect(lanes.isFull(claim('e'))).toBe(true);
    expect(lanes.isFull(claim('a'))).toBe(false);
    expect(lanes.isFull(claim('e', 'https://b.example'))).toBe(false);
    lanes.offer(claim('e', 'https://b.example'));
    lanes.offer(claim('f', 'https://c.example'));
    expect(lanes.isFull(claim('g', 'https://d.example'))).toBe(true);
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
    expect(lanes.isFull(claim('c'))).toBe(true);
    await finish('a');
    await closing;
    expect([ran, running.size]).toEqual([['a@1'], 0]);
  });
});
