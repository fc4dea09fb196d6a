import { randomBytes } from 'node:crypto';
import { createBatchLoader } from '@parley/batching';
import { makeBesideLog, type SqlExecutor } from '@parley/event-store';

/**
 * Secrets are stored beside the log, because events stay for ever and are shown to people (ADR 7). A key's row is
 * written before the event that names it, and deleted when it signs nothing any more.
 */
const tables = `
create table if not exists secrets.webhook_keys (
  key_id uuid primary key,
  secret text not null,
  created_at timestamptz not null default now()
);
`;

export interface WebhookSecretStore {
  /** Makes a new secret under the id, unless there is one. */
  create(keyId: string): Promise<void>;
  /** The secret as the customer knows it, `whsec_…`; undefined when it was deleted. Calls of one tick share a query. */
  find(keyId: string): Promise<string | undefined>;
  delete(keyId: string): Promise<void>;
}

/** Creates the table; processes that start together take turns. */
export const prepareWebhookSecrets = (sql: SqlExecutor): Promise<void> =>
  makeBesideLog(sql, 'secrets', tables);

export function createWebhookSecretStore(sql: SqlExecutor): WebhookSecretStore {
  return {
    async create(keyId) {
      await sql.query({
        name: 'create-webhook-key',
        text: 'insert into secrets.webhook_keys (key_id, secret) values ($1, $2) on conflict do nothing',
        values: [keyId, newSecret()],
      });
    },
    find: createBatchLoader(async (keyIds: readonly string[]) => {
      const { rows } = await sql.query<{ key_id: string; secret: string }>({
        name: 'find-webhook-keys',
        text: 'select key_id, secret from secrets.webhook_keys where key_id = any($1::uuid[])',
        values: [keyIds],
      });
      const secrets = new Map(rows.map(({ key_id, secret }) => [key_id, secret]));
      return keyIds.map((keyId) => secrets.get(keyId));
    }),
    async delete(keyId) {
      await sql.query({
        name: 'delete-webhook-key',
        text: 'delete from secrets.webhook_keys where key_id = $1',
        values: [keyId],
      });
    },
  };
}

/** Standard Webhooks asks for 24 to 64 random bytes. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
