import { randomUUID } from 'node:crypto';
import { importEvents } from '@parley/contracts';
import { eventually, travelling } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase, openCopy } from '../sealing/sealed-copy.fixture.ts';
import { importIntoLog } from './import-log.ts';

const accountId = 1;

test('an import whose connection is lost is rejected, has written nothing, and may be repeated', async () => {
  const { store, seals } = await openCopy(await newDatabase(), () => undefined);
  const { pool } = store;
  const input = importEvents.input.parse({
    events: travelling({ accountId, category: 'folder', streamId: `folder-${randomUUID()}` }, [
      { type: 'FolderCreated', data: { id: 1, name: 'Leads', color: null } },
    ]),
    names: { account_id: accountId, held: [] },
    next_ids: {},
  });
  const other = await pool.connect();
  onTestFinished(() => other.release());
  await other.query('begin; select from es.head for update');
  const importing = importIntoLog(pool, seals, input);
  const lost = expect(importing).rejects.toThrow();
  await eventually(async () => {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_locks where not granted and pid in
         (select pid from pg_stat_activity where datname = current_database())`,
    );
    expect(rowCount).toBe(1);
  });
  await lost;
  await other.query('commit');
  expect(await store.head()).toBe(0);
  expect(await importIntoLog(pool, seals, input)).toEqual({ imported: 1, present: 0 });
});
