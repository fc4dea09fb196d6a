import { rowsRead, vacuum } from '@parley/testing';
import { expect, test } from 'vitest';
import { newDatabase, openStore } from './testing.fixture.ts';

const length = 3_000;

test('a long stream is read page by page, each event of it once', async () => {
  // One connection, whose statistics tell of all that is read.
  const store = await openStore(await newDatabase(), { maxConnections: 1 });
  await store.pool.query(`
    insert into es.events
    select n, now(), 1, gen_random_uuid(), 1 + (n - 1) / 2, 1, 'note-' || n % 2, 'note', 'NoteTaken', '{}',
      '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"}}'
    from generate_series(1, ${2 * length}) n`);
  await vacuum(store.pool, 'es.events');
  const before = await rowsRead(store.pool, 'es.events');
  const versions: number[] = [];
  for (let after = 0; ; ) {
    const page = await store.readAll({ after, upTo: 2 * length, limit: 100, streamId: 'note-1' });
    versions.push(...page.map(({ streamVersion }) => streamVersion));
    const last = page.at(-1);
    if (!last) break;
    after = last.position;
  }
  expect(versions).toEqual(Array.from({ length }, (_, index) => index + 1));
  expect((await rowsRead(store.pool, 'es.events')) - before).toBeLessThan(length * 1.1);
});
