import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { apiKeysTable } from './api-keys-view.ts';

export interface ResolvedKey {
  readonly api_key_id: number;
  readonly account_id: number;
}

const maxKeysPerStatement = 1000;

/**
 * Whose key a token hash is; `null` when it is unknown, deleted or expired on the platform clock. All hashes of a tick are
 * one statement, and no answer outlives its statement: a call made after a deletion's answer never sees the key.
 */
export function createKeyResolver(sql: SqlExecutor): (tokenSha256: string) => Promise<ResolvedKey | null> {
  return createBatchLoader(async (hashes: readonly string[]) => {
    const { rows } = await sql.query<ResolvedKey & { token_sha256: string }>({
      name: 'resolve-api-keys',
      text: `select token_sha256, api_key_id, account_id from ${apiKeysTable}
             where token_sha256 = any($1::text[]) and (expires_at is null or expires_at > (select es.now()))`,
      values: [hashes],
    });
    const byHash = new Map(
      rows.map(({ token_sha256, api_key_id, account_id }) => [token_sha256, { api_key_id, account_id }]),
    );
    return hashes.map((hash) => byHash.get(hash) ?? null);
  }, maxKeysPerStatement);
}

/** The keys of an account, newest first, as the body of the answer. */
export function createApiKeyLister(sql: SqlExecutor): (accountId: number) => Promise<string> {
  return createBatchLoader(async (accountIds: readonly number[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: 'list-api-keys',
      text: `select coalesce((
               select string_agg(k.body, ',' order by k.api_key_id desc) from ${apiKeysTable} k
               where k.account_id = w.account_id
             ), '') as items
             from unnest($1::int8[]) with ordinality w (account_id, place) order by w.place`,
      values: [accountIds],
    });
    return rows.map(({ items }) => `{"data":[${items}]}`);
  });
}
