import type { ApiKeyEvent } from '@parley/contracts';
import { defineProjection, liveSchema } from '@parley/processing';

/** The keys that exist, by the hash of their token and by account; each row holds its item of the list, rendered. */
export const apiKeysView = defineProjection<ApiKeyEvent>({
  name: 'api_keys',
  version: 1,
  handles: ['ApiKeyCreated', 'ApiKeyDeleted'],
  tables: (schema) => `
    create table ${schema}.api_keys (
      api_key_id int8 primary key,
      account_id int8 not null,
      token_sha256 text collate "C" not null unique,
      expires_at timestamptz,
      body text not null
    );
    create index on ${schema}.api_keys (account_id, api_key_id);
  `,
  project(events, db) {
    const deleted = new Set(
      events.flatMap((event) => (event.type === 'ApiKeyDeleted' ? [event.data.api_key_id] : [])),
    );
    const created = events
      .flatMap(({ type, data, accountId }) => (type === 'ApiKeyCreated' ? [{ ...data, accountId }] : []))
      .filter(({ api_key_id }) => !deleted.has(api_key_id));
    if (created.length > 0)
      db.query({
        name: 'create',
        text: `insert into ${db.schema}.api_keys (api_key_id, account_id, token_sha256, expires_at, body)
               select * from unnest($1::int8[], $2::int8[], $3::text[], $4::timestamptz[], $5::text[])
               on conflict (api_key_id) do nothing`,
        values: [
          created.map(({ api_key_id }) => api_key_id),
          created.map(({ accountId }) => accountId),
          created.map(({ token_sha256 }) => token_sha256),
          created.map(({ expires_at }) => expires_at),
          created.map(({ api_key_id: id, name, created_at, expires_at }) =>
            JSON.stringify({ id, name, created_at, expires_at }),
          ),
        ],
      });
    if (deleted.size > 0)
      db.query({
        name: 'delete',
        text: `delete from ${db.schema}.api_keys where api_key_id = any($1::int8[])`,
        values: [[...deleted]],
      });
  },
});

export const apiKeysTable = `${liveSchema(apiKeysView)}.api_keys`;
