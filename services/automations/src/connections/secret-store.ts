import { makeBesideLog, type SqlExecutor } from '@parley/event-store';
import type { Keyring, Secret } from '@parley/process-kit';

/**
 * Secrets are stored beside the log, sealed, because events stay for ever and are shown to people (ADR 7). A row is
 * written before the event that names it, and deleted when nothing uses it any more.
 */
const tables = `
create table if not exists secrets.sealed (
  id text primary key,
  sealed text not null,
  created_at timestamptz not null default now()
);
`;

/** Secrets by id; each caller makes its own ids. */
export interface SecretStore {
  /** Keeps a secret under the id, unless there is one already. */
  keep(id: string, secret: string): Promise<void>;
  find(id: string): Promise<Secret | undefined>;
  forget(id: string): Promise<void>;
}

/** Creates the table; processes that start together take turns. */
export const prepareSecrets = (sql: SqlExecutor): Promise<void> => makeBesideLog(sql, 'secrets', tables);

/** Secrets in Postgres, each sealed with its id: moved to another id, it cannot be opened. */
export const createSecretStore = (sql: SqlExecutor, keys: Keyring): SecretStore => ({
  async keep(id, secret) {
    await sql.query({
      name: 'keep-secret',
      text: 'insert into secrets.sealed (id, sealed) values ($1, $2) on conflict do nothing',
      values: [id, keys.seal(secret, id)],
    });
  },
  async find(id) {
    const { rows } = await sql.query<{ sealed: string }>({
      name: 'find-secret',
      text: 'select sealed from secrets.sealed where id = $1',
      values: [id],
    });
    return rows[0] && keys.open(rows[0].sealed, id);
  },
  async forget(id) {
    await sql.query({
      name: 'forget-secret',
      text: 'delete from secrets.sealed where id = $1',
      values: [id],
    });
  },
});
