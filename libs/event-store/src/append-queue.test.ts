import { describe, expect, test } from 'vitest';
import { AppendQueue, type Queued } from './append-queue.ts';

interface Entry extends Queued {
  readonly name: string;
}

const entry = (name: string, keys: string[] = [name], bytes = 1): Entry => ({
  name,
  keys,
  stream: { id: name, from: 0, to: 1 },
  bytes,
});
/** Of the stream `s`. */
const part = (from: number, to: number, keys: string[] = []): Entry => ({
  name: `${from}-${to}`,
  keys,
  stream: { id: 's', from, to },
  bytes: 1,
});
const names = (batch: Entry[]) => batch.map(({ name }) => name).join(' ');

function queueOf(entries: Entry[], limits = {}): AppendQueue<Entry> {
  const queue = new AppendQueue<Entry>(limits);
  for (const one of entries) queue.push(one);
  return queue;
}

describe('a batch', () => {
  test('holds everything that waits, in order', () => {
    const queue = queueOf([entry('a'), entry('b'), entry('c')]);
    expect(names(queue.takeBatch())).toBe('a b c');
    expect(queue.size).toBe(0);
    expect(queue.takeBatch()).toEqual([]);
  });

  test('has no two entries that share a key', () => {
    const queue = queueOf([entry('a', ['s']), entry('b', ['t']), entry('c', ['s']), entry('d', ['u'])]);
    expect(names(queue.takeBatch())).toBe('a b d');
    expect(names(queue.takeBatch())).toBe('c');
  });

  test('has entries of one stream where each begins where the one before it ends', () => {
    const run = queueOf([part(0, 2), entry('a'), part(2, 3), part(3, 3), part(3, 4)]);
    expect(names(run.takeBatch())).toBe('0-2 a 2-3 3-3 3-4');
    const rivals = queueOf([part(0, 1), part(0, 2), part(2, 3)]);
    expect(names(rivals.takeBatch())).toBe('0-1');
    expect(names(rivals.takeBatch())).toBe('0-2 2-3');
  });

  test('has one entry of a stream where versions do not matter', () => {
    const any = part(Number.NaN, Number.NaN);
    const queue = queueOf([any, any, part(0, 1), entry('a')]);
    expect(names(queue.takeBatch())).toBe('NaN-NaN a');
    expect(names(queue.takeBatch())).toBe('NaN-NaN');
    expect(names(queue.takeBatch())).toBe('0-1');
  });

  test('ends a run of one stream where an entry of it waits for a key', () => {
    const queue = queueOf([part(0, 1, ['k']), part(1, 2, ['k']), part(1, 3)]);
    expect(names(queue.takeBatch())).toBe('0-1');
    expect(names(queue.takeBatch())).toBe('1-2');
    expect(names(queue.takeBatch())).toBe('1-3');
  });

  test('lets nobody overtake an entry that waits for a key of its own', () => {
    // b waits for a; c shares nothing with a, but it came after b and shares a key with it.
    const queue = queueOf([entry('a', ['s']), entry('b', ['s', 'k']), entry('c', ['k']), entry('d', ['x'])]);
    expect(names(queue.takeBatch())).toBe('a d');
    expect(names(queue.takeBatch())).toBe('b');
    expect(names(queue.takeBatch())).toBe('c');
  });

  test('is bounded in entries and in bytes, but always takes one', () => {
    const byCount = queueOf([entry('a'), entry('b'), entry('c')], { maxBatch: 2 });
    expect([names(byCount.takeBatch()), names(byCount.takeBatch())]).toEqual(['a b', 'c']);
    const byBytes = queueOf([entry('a', ['a'], 9), entry('b', ['b'], 4), entry('c', ['c'], 4)], {
      maxBatchBytes: 8,
    });
    expect([names(byBytes.takeBatch()), names(byBytes.takeBatch())]).toEqual(['a', 'b c']);
  });

  test('is found without searching a long queue on one hot key to its end', () => {
    const hot = Array.from({ length: 100 }, (_, index) => entry(`h${index}`, ['hot']));
    const queue = queueOf([...hot, entry('far')], { maxBatch: 2 });
    expect(names(queue.takeBatch())).toBe('h0');
    expect(queue.size).toBe(100);
  });
});

describe('the queue', () => {
  test('refuses what is beyond its limits and takes again once there is room', () => {
    const queue = queueOf([entry('a'), entry('b')], { maxQueued: 2 });
    expect(queue.push(entry('c'))).toBe(false);
    queue.takeBatch();
    expect(queue.push(entry('c'))).toBe(true);
    const byBytes = queueOf([entry('a', ['a'], 6)], { maxQueuedBytes: 10 });
    expect(byBytes.push(entry('b', ['b'], 5))).toBe(false);
    expect(byBytes.push(entry('c', ['c'], 4))).toBe(true);
  });

  test('takes one entry of any size when it is empty', () => {
    expect(queueOf([], { maxQueuedBytes: 10 }).push(entry('huge', ['h'], 1_000))).toBe(true);
  });

  test('gives what was put back before everybody else', () => {
    const queue = queueOf([entry('a'), entry('b')]);
    const batch = queue.takeBatch();
    queue.push(entry('c'));
    queue.putBack(batch);
    expect(names(queue.takeBatch())).toBe('a b c');
  });

  test('gives up those that came first, as far as the condition holds', () => {
    const queue = queueOf([
      entry('a', ['a'], 1),
      entry('b', ['b'], 2),
      entry('c', ['c'], 3),
      entry('d', ['d'], 1),
    ]);
    expect(names(queue.removeFirst(({ bytes }) => bytes < 3))).toBe('a b');
    expect(names(queue.removeFirst(({ bytes }) => bytes < 3))).toBe('');
    expect(names(queue.removeFirst(() => true))).toBe('c d');
    expect(queue.size).toBe(0);
  });

  test('keeps count of its bytes through taking, putting back and removing', () => {
    const queue = queueOf([entry('a', ['a'], 5), entry('b', ['a'], 5)], { maxQueuedBytes: 10 });
    queue.putBack(queue.takeBatch());
    expect(queue.push(entry('c', ['c'], 1))).toBe(false);
    expect(names(queue.removeFirst(() => true))).toBe('a b');
    expect(queue.push(entry('c', ['c'], 10))).toBe(true);
  });
});
