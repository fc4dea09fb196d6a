import { createBatchLoader } from '@parley/batching';
import { makeBesideLog, type SqlExecutor } from '@parley/event-store';
import type { Keyring } from '@parley/process-kit';
import type { PayloadOwner, PayloadSearch, PayloadStore } from './payload-store.ts';

const tables = `
create table if not exists payloads.run_payloads (
  ref uuid primary key,
  run_id uuid not null,
  sealed text not null
);
create index if not exists run_payloads_of_run on payloads.run_payloads (run_id);
`;

/** Creates the table; processes that start together take turns. */
const prepare = (sql: SqlExecutor): Promise<void> => makeBesideLog(sql, 'payloads', tables);

interface Row {
  readonly ref: string;
  readonly runId: string;
  readonly sealed: string;
}

/** Payloads in Postgres. Each is sealed for its account, run and id: a row that is moved elsewhere cannot be opened. */
export function createPostgresPayloads(sql: SqlExecutor, keys: Keyring): PayloadStore & PayloadSearch {
  let prepared: Promise<void> | undefined;
  /** Creates the table once, before anything else is done; again where that failed. */
  const ready = (): Promise<void> => {
    prepared ??= prepare(sql).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  const insert = createBatchLoader(async (batch: readonly (readonly Row[])[]) => {
    const rows = batch.flat();
    await ready();
    await sql.query({
      name: 'keep-payloads',
      // Flushed to disk before the append that names these rows: after a crash, that append may be tried again, but
      // these rows are not written again.
      text: `insert into payloads.run_payloads (ref, run_id, sealed)
             select * from unnest($1::uuid[], $2::uuid[], $3::text[])
             on conflict (ref) do nothing`,
      values: [rows.map(({ ref }) => ref), rows.map(({ runId }) => runId), rows.map(({ sealed }) => sealed)],
    });
    return batch.map(() => undefined);
  });
  const find = createBatchLoader(async (refs: readonly string[]) => {
    await ready();
    const { rows } = await sql.query<{ ref: string; sealed: string }>({
      name: 'read-payloads',
      text: 'select ref, sealed from payloads.run_payloads where ref = any($1::uuid[])',
      values: [refs],
    });
    const sealed = new Map(rows.map((row) => [row.ref, row.sealed]));
    return refs.map((ref) => sealed.get(ref));
  });
  return {
    async keep(owner, payloads) {
      if (payloads.length === 0) return;
      const { runId } = owner;
      await insert(
        payloads.map(({ ref, text }) => ({ ref, runId, sealed: keys.seal(text, placeOf(owner, ref)) })),
      );
    },
    read: (owner, refs) =>
      Promise.all(
        refs.map(async (ref) => {
          const sealed = await find(ref);
          return sealed === undefined ? undefined : keys.open(sealed, placeOf(owner, ref)).reveal();
        }),
      ),
    async match(owner, patterns) {
      await ready();
      const { rows } = await sql.query<{ ref: string; sealed: string }>({
        name: 'payloads-of-run',
        text: 'select ref, sealed from payloads.run_payloads where run_id = $1',
        values: [owner.runId],
      });
      return rows.some(({ ref, sealed }) => {
        const payload = keys.open(sealed, placeOf(owner, ref)).reveal();
        return patterns.some((pattern) => pattern.test(payload));
      });
    },
    async discard(refs) {
      if (refs.length === 0) return;
      await ready();
      await sql.query({
        name: 'discard-payloads',
        text: 'delete from payloads.run_payloads where ref = any($1::uuid[])',
        values: [refs],
      });
    },
    async erase(runId) {
      await ready();
      await sql.query({
        name: 'erase-payloads',
        text: 'delete from payloads.run_payloads where run_id = $1',
        values: [runId],
      });
    },
  };
}

const placeOf = ({ accountId, runId }: PayloadOwner, ref: string): string =>
  `run-payload:${accountId}:${runId}:${ref}`;
