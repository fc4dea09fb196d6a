import { createTestDatabase, eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { ownLog } from './event-source.ts';
import { startCopy } from './fixtures/test-service.fixture.ts';
import { follow } from './follow.ts';

test('of a long log of the service itself a part is looked through at a time, and all that is wanted is found', async () => {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const store = await startCopy(url);
  onTestFinished(() => store.close());
  // As if millions of events lay between them.
  await store.pool.query(`
    insert into es.events
    select position, now(), 1, gen_random_uuid(), position / 1000000, 1, 'counter-9', 'counter', 'Rare', '{}',
      '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from unnest(array[1000000, 2000000]) position`);
  await store.pool.query('update es.head set position = 2100000');
  const source = ownLog(store);
  const first = await source.read({ after: 0, limit: 500, types: ['Rare'] });
  expect(first).toEqual({ events: [], head: 2_100_000, reached: 250_000 });

  const found: number[] = [];
  let reached = 0;
  const stop = new AbortController();
  const following = follow({
    ...{ source, types: ['Rare'], after: 0, limit: 500, pollMs: 600_000 },
    signal: stop.signal,
    async handle(events, to) {
      found.push(...events.map(({ position }) => position));
      reached = to;
    },
  });
  await eventually(() => expect(reached).toBe(2_100_000));
  stop.abort();
  await following;
  expect(found).toEqual([1_000_000, 2_000_000]);
});
