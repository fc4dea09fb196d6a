import { rowsRead, vacuum } from '@parley/testing';
import { expect, test } from 'vitest';
import { newDatabase, openStore } from '../testing.fixture.ts';

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

test('the first events of a request that led to very many are found without a look at the others, or at the log before', async () => {
  const store = await openStore(await newDatabase(), { maxConnections: 1 });
  const before = 20_000;
  await store.pool.query(`
    insert into es.events
    select n, now(), 1, gen_random_uuid(), 1, 1, 'note-' || n, 'note', 'NoteTaken', '{}',
      jsonb_build_object('correlationId', case when n > ${before} then 'campaign' else 'request-' || n end,
        'causationId', 'b', 'commandId', null, 'actor', '{"kind":"system","id":"c"}'::jsonb)
    from generate_series(1, ${2 * before}) n`);
  await vacuum(store.pool, 'es.events');
  const wanted = { limit: 100, correlationId: 'campaign', accountId: 1 };
  // The same statement is planned for all values once it was asked for a few times.
  for (let times = 0, after = 0; times < 8; times += 1) {
    const earlier = await rowsRead(store.pool, 'es.events');
    const page = await store.readAll({ ...wanted, after });
    const first = Math.max(after, before) + 1;
    expect(page.map(({ position }) => position)).toEqual(
      Array.from({ length: 100 }, (_, index) => first + index),
    );
    expect((await rowsRead(store.pool, 'es.events')) - earlier).toBeLessThan(300);
    after = page.at(-1)?.position ?? 0;
  }
  expect(await store.readAll({ ...wanted, after: 0, correlationId: 'request-7' })).toHaveLength(1);
});

test('what came with an import is found by its key without a look at the rest of its stream', async () => {
  const store = await openStore(await newDatabase(), { maxConnections: 1 });
  await store.pool.query(`
    insert into es.events
    select n, now(), 1, gen_random_uuid(), n, 1, 'note-1', 'note', 'NoteTaken', jsonb_build_object('hold_id', n / 2),
      '{"correlationId":"a","causationId":"b","commandId":null,"actor":{"kind":"system","id":"c"},"imported":true}'
    from generate_series(1, 20000) n`);
  await vacuum(store.pool, 'es.events');
  // The same statement is planned for all values once it was asked for a few times.
  for (let hold = 9_000; hold < 9_008; hold += 1) {
    const before = await rowsRead(store.pool, 'es.events');
    const found = await store.readAll({
      ...{ after: 0, limit: 100, streamId: 'note-1' },
      importedKey: String(hold),
    });
    expect(found.map(({ position }) => position)).toEqual([2 * hold, 2 * hold + 1]);
    expect((await rowsRead(store.pool, 'es.events')) - before).toBeLessThan(10);
  }
});
