import { queryObjects } from 'node:v8';
import { eventually } from '@parley/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { request } from '../../contract/requests.contract.ts';
import type { PostgresEventStore } from '../postgres-event-store.ts';
import { newDatabase, openStore } from '../testing.fixture.ts';
import { type WakeOptions, WakeSource } from './wake.ts';

function countWakes(store: Pick<PostgresEventStore, 'onAppended'>) {
  const count = { wakes: 0, stop: () => undefined as unknown };
  count.stop = store.onAppended(() => {
    count.wakes++;
  });
  return count;
}

/** Wake-ups without a store around them. */
function openSource(connectionString: string, options: Pick<WakeOptions, 'isOwn' | 'pollMs'>) {
  const source = new WakeSource({ connectionString, onError: () => undefined, ...options });
  onTestFinished(() => source.close());
  return { onAppended: source.subscribe.bind(source) };
}

/** The first wake-up comes with the connection: whatever was appended before it may have been missed. */
const isListening = (count: { readonly wakes: number }) => eventually(() => expect(count.wakes).toBe(1));

describe('a subscriber', () => {
  test('is woken by other processes’ appends', async () => {
    const url = await newDatabase();
    const there = await openStore(url);
    // Nothing is polled for as long as the test goes on: it is the notification.
    const here = openSource(url, { isOwn: () => false, pollMs: 600_000 });
    const count = countWakes(here);
    await isListening(count);
    const { wakes } = count;
    await there.append(request());
    await eventually(() => expect(count.wakes).toBe(wakes + 1));
  });

  test('is woken once by its own process’s append, at once', async () => {
    const store = await openStore(await newDatabase());
    const count = countWakes(store);
    await isListening(count);
    const { wakes } = count;
    await store.append(request());
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(count.wakes).toBe(wakes + 1);
    await store.pool.query('select pg_sleep(0.05)');
    expect(count.wakes).toBe(wakes + 1);
  });

  test('is woken after its connection was lost, for what it missed and for what comes', async () => {
    const url = await newDatabase();
    const [here, there] = [await openStore(url), await openStore(url)];
    const count = countWakes(here);
    await isListening(count);
    for (let round = 0; round < 2; round++) {
      const { wakes } = count;
      await there.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'parley-listener' and datname = current_database()",
      );
      await there.append(request());
      await eventually(() => expect(count.wakes).toBeGreaterThan(wakes));
    }
  });

  test('is not woken any more once it unsubscribed, and a failing one harms no other', async () => {
    const errors: unknown[] = [];
    const store = await openStore(await newDatabase(), { onError: (error) => errors.push(error) });
    const failing = store.onAppended(() => {
      throw new Error('of the subscriber');
    });
    const [gone, stays] = [countWakes(store), countWakes(store)];
    gone.stop();
    await store.append(request());
    await eventually(() => expect(stays.wakes).toBeGreaterThan(0));
    expect(gone.wakes).toBe(0);
    expect(errors).toContainEqual(new Error('of the subscriber'));
    failing();
  });

  test('costs no memory for as long as its connection stands', async () => {
    const url = await newDatabase();
    const store = await openStore(url);
    // Notifications are passed over: every wake-up is a poll's.
    const source = openSource(url, { isOwn: () => true, pollMs: 1 });
    const count = countWakes(source);
    const poll = async (times: number) => {
      for (let round = 0; round < times; round++) {
        const { wakes } = count;
        await store.append(request());
        await eventually(() => expect(count.wakes).toBeGreaterThan(wakes), undefined, 1);
      }
    };
    await poll(20);
    const before = queryObjects(Promise, { format: 'count' });
    await poll(200);
    expect(queryObjects(Promise, { format: 'count' }) - before).toBeLessThan(50);
  });
});
