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
  await store.pool.query('vacuum analyze es.events');
  const rowsRead = async (): Promise<number> => {
    await store.pool.query('select pg_stat_force_next_flush()');
    const { rows } = await store.pool.query<{ count: number }>(
      `select seq_tup_read + idx_tup_fetch as count from pg_stat_user_tables where relid = 'es.events'::regclass`,
    );
    return rows[0]?.count ?? 0;
  };
  const before = await rowsRead();
  const versions: number[] = [];
  for (let after = 0; ; ) {
    const page = await store.readAll({ after, upTo: 2 * length, limit: 100, streamId: 'note-1' });
    versions.push(...page.map(({ streamVersion }) => streamVersion));
    const last = page.at(-1);
    if (!last) break;
    after = last.position;
  }
  expect(versions).toEqual(Array.from({ length }, (_, index) => index + 1));
  expect((await rowsRead()) - before).toBeLessThan(length * 1.1);
});
