import type { SqlExecutor } from '@parley/event-store';
import type { Keyring, Secret } from '@parley/process-kit';
import { sipTrunkStream } from './sip-trunk.ts';

/** Passwords stand beside the log, sealed (ADR 11): no event, answer or log line ever holds one. */
const schema = `
create schema if not exists secrets;
create table if not exists secrets.sip_passwords (
  trunk_id int8 primary key,
  sealed text not null
);
`;

export interface PasswordStore {
  /** The one that it replaces, sealed; undefined when there was none. */
  save(trunkId: number, password: string): Promise<string | undefined>;
  /** Takes back a `save`, by what it replaced. */
  restore(trunkId: number, sealed: string): Promise<void>;
  /** Undefined when there is none; throws `SealBroken` when its key is gone. */
  find(trunkId: number): Promise<Secret | undefined>;
  delete(trunkId: number): Promise<void>;
}

/** Makes the table; copies that start together take turns. */
export async function preparePasswords(sql: SqlExecutor): Promise<void> {
  await sql.query({ text: `select pg_advisory_xact_lock(hashtext('secrets')); ${schema}` });
}

export const createPasswordStore = (sql: SqlExecutor, keys: Keyring): PasswordStore => ({
  async save(trunkId, password) {
    const { rows } = await sql.query<{ earlier: string | null }>({
      name: 'save-sip-password',
      text: `with earlier as (select sealed from secrets.sip_passwords where trunk_id = $1)
             insert into secrets.sip_passwords (trunk_id, sealed) values ($1, $2)
             on conflict (trunk_id) do update set sealed = excluded.sealed
             returning (select sealed from earlier) as earlier`,
      values: [trunkId, keys.seal(password, sipTrunkStream(trunkId))],
    });
    return rows[0]?.earlier ?? undefined;
  },
  async restore(trunkId, sealed) {
    await sql.query({
      name: 'restore-sip-password',
      text: 'update secrets.sip_passwords set sealed = $2 where trunk_id = $1',
      values: [trunkId, sealed],
    });
  },
  async find(trunkId) {
    const { rows } = await sql.query<{ sealed: string }>({
      name: 'find-sip-password',
      text: 'select sealed from secrets.sip_passwords where trunk_id = $1',
      values: [trunkId],
    });
    return rows[0] && keys.open(rows[0].sealed, sipTrunkStream(trunkId));
  },
  async delete(trunkId) {
    await sql.query({
      name: 'delete-sip-password',
      text: 'delete from secrets.sip_passwords where trunk_id = $1',
      values: [trunkId],
    });
  },
});
