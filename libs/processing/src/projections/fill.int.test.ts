import { createTestDatabase, eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { fillLog } from '../fixtures/counters.fixture.ts';
import { startCopy } from '../fixtures/test-service.fixture.ts';
import { prepareProjections } from './prepare-projections.ts';
import { defineProjection, liveSchema } from './projection.ts';
import { rebuildProjection } from './rebuild-projection.ts';

const events = 20_000;

/** A row for each event, which the same batch then looks up among all there are: the table grows with the log. */
const marks = defineProjection({
  name: 'marks',
  version: 1,
  handles: ['Counted', 'Labelled', 'Removed'],
  tables: (schema) => `create table ${schema}.marks (position int8 primary key, type text not null);`,
  project(recorded, db) {
    const values = [JSON.stringify(recorded.map(({ position, type }) => ({ position, type })))];
    const rows = 'jsonb_to_recordset($1::jsonb) m (position int8, type text)';
    db.query({
      name: 'insert',
      text: `insert into ${db.schema}.marks select position, 'unknown' from ${rows}`,
      values,
    });
    db.query({
      name: 'update',
      text: `update ${db.schema}.marks k set type = m.type from ${rows} where k.position = m.position`,
      values,
    });
  },
});

test('a page reads the rows it changes, not all that the pages before it have written', async () => {
  const { url, drop } = await createTestDatabase();
  const store = await startCopy(url);
  const rowsRead = async () => {
    const { rows } = await store.pool.query<{ changed: number; fetched: number }>({
      text: `select n_tup_upd as changed, idx_tup_fetch + seq_tup_read as fetched
             from pg_stat_user_tables where schemaname = $1`,
      values: [liveSchema(marks)],
    });
    return rows[0];
  };
  // A page that reads all before it makes this ten times as many.
  const few = { changed: events, fetched: expect.toSatisfy((fetched: number) => fetched < 3 * events) };
  try {
    await fillLog(store, events);
    await prepareProjections(store.pool, [marks]);
    await eventually(async () => expect(await rowsRead()).toMatchObject({ changed: events }));
    expect(await rowsRead()).toEqual(few);
    await rebuildProjection({ pool: store.pool, projection: marks });
    await eventually(async () => expect(await rowsRead()).toMatchObject({ changed: events }));
    expect(await rowsRead()).toEqual(few);
  } finally {
    await store.close();
    await drop();
  }
});

test('copies that start together hear how the one gets on that makes the tables', async () => {
  const { url, drop } = await createTestDatabase();
  const store = await startCopy(url);
  const told: string[] = [];
  let other: Promise<void> | undefined;
  try {
    await fillLog(store, events);
    await prepareProjections(store.pool, [marks], (_, progress) => {
      told.push(progress ? 'own' : 'of another');
      other ??= prepareProjections(store.pool, [marks], (__, its) => {
        told.push(its ? 'own, in vain' : 'of another');
      });
    });
    await other;
    expect(new Set(told)).toEqual(new Set(['own', 'of another']));
  } finally {
    await other;
    await store.close();
    await drop();
  }
});

test('a view that cannot take an event has all before it, and says which one it is', async () => {
  const { url, drop } = await createTestDatabase();
  const store = await startCopy(url);
  const tables = (schema: string) =>
    `create table ${schema}.marks (position int8 primary key check (position <> 1234), type text not null);`;
  try {
    await fillLog(store, 2_500);
    await expect(prepareProjections(store.pool, [{ ...marks, tables }])).rejects.toThrow(
      /^Version 1 of the view marks cannot take \w+ at 1234: .* violates check constraint/,
    );
    const { rows } = await store.pool.query(`select max(position) as last from ${liveSchema(marks)}.marks`);
    expect(rows).toEqual([{ last: 1_233 }]);
  } finally {
    await store.close();
    await drop();
  }
});
