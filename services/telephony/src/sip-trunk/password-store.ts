import { makeBesideLog, type SqlExecutor } from '@parley/event-store';
import { type Keyring, type Logger, SealBroken, type Secret } from '@parley/process-kit';
import { sipTrunkStream } from './sip-trunk.ts';

/**
 * Passwords are kept beside the log, sealed (ADR 11): no event, answer or log line holds one. The log tells which of a
 * trunk's passwords counts: one that was saved, but whose change was not recorded, never does. Earlier releases kept
 * one row per trunk without `set_at`.
 */
const tables = `
create table if not exists secrets.sip_passwords (
  trunk_id int8 not null,
  sealed text not null
);
alter table secrets.sip_passwords add column if not exists set_at timestamptz not null default '-infinity';
alter table secrets.sip_passwords drop constraint if exists sip_passwords_pkey;
create unique index if not exists sip_passwords_of_trunk on secrets.sip_passwords (trunk_id, set_at);
`;

/**
 * Passwords of trunks by the time at which they were set (ISO 8601): the `password_at` that the log has, or will have.
 */
export interface PasswordStore {
  /**
   * Saves a password set at `at`, beside the present one, set at `replacing`, which counts until the change is
   * recorded; older ones are deleted.
   */
  save(
    trunkId: number,
    password: string,
    times: { readonly at: string; readonly replacing?: string },
  ): Promise<void>;
  /** The password that was set at `at`; undefined when there is none, or its key is lost. */
  find(trunkId: number, at: string): Promise<Secret | undefined>;
  /** Deletes all passwords of the trunk. */
  delete(trunkId: number): Promise<void>;
}

/** Creates the table; copies of the service that start together take turns. */
export const preparePasswords = (sql: SqlExecutor): Promise<void> => makeBesideLog(sql, 'secrets', tables);

/** Passwords in `secrets.sip_passwords`, sealed with the installation's keys. */
export const createPasswordStore = (
  sql: SqlExecutor,
  keys: Keyring,
  logger: Pick<Logger, 'warn'>,
): PasswordStore => ({
  async save(trunkId, password, { at, replacing = at }) {
    await sql.query({
      name: 'save-sip-password',
      text: `with gone as (
               delete from secrets.sip_passwords where trunk_id = $1 and set_at < (
                 select max(set_at) from secrets.sip_passwords where trunk_id = $1 and set_at <= $4
               )
             )
             insert into secrets.sip_passwords (trunk_id, sealed, set_at) values ($1, $2, $3)`,
      values: [trunkId, keys.seal(password, sipTrunkStream(trunkId)), at, replacing],
    });
  },
  async find(trunkId, at) {
    const { rows } = await sql.query<{ sealed: string }>({
      name: 'find-sip-password',
      text: `select sealed from secrets.sip_passwords where trunk_id = $1 and set_at <= $2
             order by set_at desc limit 1`,
      values: [trunkId, at],
    });
    if (!rows[0]) return undefined;
    try {
      return keys.open(rows[0].sealed, sipTrunkStream(trunkId));
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      logger.warn({ err: error, trunk: trunkId }, 'the password of a SIP trunk has to be entered again');
      return undefined;
    }
  },
  async delete(trunkId) {
    await sql.query({
      name: 'delete-sip-password',
      text: 'delete from secrets.sip_passwords where trunk_id = $1',
      values: [trunkId],
    });
  },
});
