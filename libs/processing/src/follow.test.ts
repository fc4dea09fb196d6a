import type { RecordedEvent } from '@parley/event-store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventSource } from './event-source.ts';
import { recordedEvent } from './fixtures/recorded-event.fixture.ts';
import { follow } from './follow.ts';

/** A log whose live deliveries come in any order, any number of times, or not at all. */
class UnreliableSource implements EventSource {
  readonly log: RecordedEvent[] = [];
  /** How much of the log pages show. */
  shown = Number.POSITIVE_INFINITY;
  reads = 0;
  #deliver: ((events: readonly RecordedEvent[]) => void) | undefined;

  async read({ after, limit }: { after: number; limit: number }) {
    this.reads += 1;
    if (this.reads > 1_000) throw new Error('The log is read without end.');
    const head = Math.min(this.log.length, this.shown);
    const reached = Math.min(after + limit, head);
    return { events: this.log.slice(after, reached), head, reached };
  }

  get isSubscribed(): boolean {
    return this.#deliver !== undefined;
  }

  subscribe(_after: number, deliver: (events: readonly RecordedEvent[]) => void) {
    this.#deliver = deliver;
    return { close: () => undefined };
  }

  append(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const position = this.log.length + 1;
      this.log.push(recordedEvent(position, { type: position % 3 === 0 ? 'Ignored' : 'Counted' }));
    }
  }

  deliver(positions: readonly number[]): void {
    this.#deliver?.(positions.flatMap((position) => this.log[position - 1] ?? []));
  }
}

/** Follows until everything is handled; resolves with the positions handled. */
async function followAll(source: UnreliableSource, act: () => void, pollMs = 1): Promise<number[]> {
  const stop = new AbortController();
  const handled: number[] = [];
  let last = 0;
  let hasActed = false;
  await follow({
    source,
    types: ['Counted'],
    after: 0,
    limit: 4,
    pollMs,
    signal: stop.signal,
    handle: async (events, to) => {
      expect(to).toBeGreaterThanOrEqual(last);
      expect(events.every(({ position }) => position > last && position <= to)).toBe(true);
      handled.push(...events.map(({ position }) => position));
      last = to;
      if (!hasActed && source.isSubscribed && to === source.log.length) {
        hasActed = true;
        setImmediate(act);
      } else if (hasActed && to === source.log.length) stop.abort();
    },
  });
  return handled;
}

const wantedOf = (source: UnreliableSource) =>
  source.log.flatMap(({ type, position }) => (type === 'Counted' ? [position] : []));

describe('following a log', () => {
  test('handles every wanted event once and in order, however the deliveries come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(12),
        fc.integer({ min: 1, max: 12 }),
        fc.infiniteStream(fc.nat(30)),
        async (before, added, random) => {
          const source = new UnreliableSource();
          source.append(before);
          const handled = await followAll(source, () => {
            source.append(added);
            // Up to three times each, in any order, some never.
            source.deliver([...random.take(added * 3)]);
          });
          expect(handled).toEqual(wantedOf(source));
        },
      ),
      { numRuns: 100 },
    );
  });

  test('needs no page for deliveries without a gap', async () => {
    const source = new UnreliableSource();
    source.append(2);
    let readsBefore = 0;
    await followAll(
      source,
      () => {
        readsBefore = source.reads;
        source.append(3);
        source.deliver([4, 3, 5, 4]);
      },
      3_600_000,
    );
    expect(source.reads).toBe(readsBefore);
  });

  test('reads page after page while there are more, without waiting to be woken', async () => {
    const source = new UnreliableSource();
    source.append(21);
    const handled = await followAll(
      source,
      () => {
        source.append(22);
        source.deliver([]);
      },
      3_600_000,
    );
    expect(handled).toEqual(wantedOf(source));
  }, 30_000);

  test('keeps a page of deliveries while an event is handled, and reads the others', async () => {
    const source = new UnreliableSource();
    source.append(2);
    let readsBefore = 0;
    const handled = await followAll(
      source,
      () => {
        readsBefore = source.reads;
        source.append(10);
        source.deliver([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      },
      3_600_000,
    );
    expect(source.reads).toBeGreaterThan(readsBefore);
    expect(handled).toEqual(wantedOf(source));
  });

  test('lets the next page form when told to, whatever is announced meanwhile', async () => {
    const source = new UnreliableSource();
    source.append(1);
    const stop = new AbortController();
    const following = follow({
      ...{ source, types: ['Counted'], after: 0, limit: 10, pollMs: 1, restMs: 3_600_000 },
      signal: stop.signal,
      handle: async () => undefined,
    });
    for (let turn = 0; turn < 50; turn += 1) {
      source.append(1);
      source.deliver([]);
      await new Promise(setImmediate);
    }
    expect(source.reads).toBe(1);
    stop.abort();
    await following;
  });

  test('leaves the log alone for a moment where a page does not have what was announced', async () => {
    const source = new UnreliableSource();
    source.append(1);
    source.shown = 1;
    const stop = new AbortController();
    const following = follow({
      ...{ source, types: ['Counted'], after: 0, limit: 10, pollMs: 3_600_000 },
      signal: stop.signal,
      handle: async () => undefined,
    });
    while (!source.isSubscribed) await new Promise(setImmediate);
    source.append(2);
    source.deliver([3]);
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    expect(source.reads).toBeLessThan(10);
    stop.abort();
    await following;
  });

  test('rejects when the handler does', async () => {
    const source = new UnreliableSource();
    source.append(1);
    const following = follow({
      source,
      types: ['Counted'],
      after: 0,
      limit: 10,
      pollMs: 5,
      signal: new AbortController().signal,
      handle: () => Promise.reject(new Error('no')),
    });
    await expect(following).rejects.toThrow('no');
  });
});
