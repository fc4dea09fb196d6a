import { createBatchLoader } from '@parley/batching';
import type { listDeletedApiKeys, resolveApiKeys } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { z } from 'zod';
import { apiKeysTable, apiKeysView } from './api-keys-view.ts';

type ResolvedKeys = z.output<typeof resolveApiKeys.output>;
type DeletedKeys = Omit<z.output<typeof listDeletedApiKeys.output>, 'lease_ms'>;

const maxQuestionsPerStatement = 16;

/** A gateway that missed more events of the log than this gets `deleted: null` and forgets all keys it knew. */
const maxMissedEvents = 10_000;

/**
 * The owners of keys by the hashes of their tokens, in order; `null` for unknown, deleted and expired keys
 * (platform clock). The questions of one event-loop tick share a statement. Nothing is cached, so a call made after
 * a deletion was answered never sees the key.
 */
export function createKeyResolver(sql: SqlExecutor): (hashes: readonly string[]) => Promise<ResolvedKeys> {
  return createBatchLoader(
    async (questions: readonly (readonly string[])[]) => {
      const { rows } = await sql.query<{
        position: number;
        keys: (NonNullable<ResolvedKeys['keys'][number]> & { token_sha256: string })[];
      }>({
        name: 'resolve-api-keys',
        text: `select es.position_of('${apiKeysView.checkpoint}') as position, coalesce((
               select json_agg(k) from (
                 select token_sha256, api_key_id, account_id, expires_at is not null as expires from ${apiKeysTable}
                 where token_sha256 = any($1::text[]) and (expires_at is null or expires_at > (select es.now()))
               ) k
             ), '[]') as keys`,
        values: [questions.flat()],
      });
      const { position = 0, keys = [] } = rows[0] ?? {};
      const byHash = new Map(keys.map(({ token_sha256, ...key }) => [token_sha256, key]));
      return questions.map((hashes) => ({ position, keys: hashes.map((hash) => byHash.get(hash) ?? null) }));
    },
    { maxBatch: maxQuestionsPerStatement },
  );
}

/**
 * Ids of the keys deleted after a position of the log, and the head up to which that holds, read at one moment.
 * `deleted` is null when the position is too old or beyond the head.
 */
export async function listDeletedKeys(sql: SqlExecutor, after: number): Promise<DeletedKeys> {
  const { rows } = await sql.query<DeletedKeys>({
    name: 'list-deleted-api-keys',
    text: `select h.position, case when h.position - $1::int8 between 0 and ${maxMissedEvents} then coalesce((
               select json_agg((e.data ->> 'api_key_id')::int8) from es.events e
               where e.position > $1::int8 and e.position <= h.position and e.type = 'ApiKeyDeleted'
             ), '[]') end as deleted
           from es.head h`,
    values: [after],
  });
  return rows[0] ?? { position: 0, deleted: null };
}

/** The keys of an account, newest first, as JSON texts joined by commas. */
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
    return rows.map(({ items }) => items);
  });
}
