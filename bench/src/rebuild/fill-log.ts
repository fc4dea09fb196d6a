import type pg from 'pg';

/** A folder in four: created, renamed, recolored, and every tenth deleted, the others renamed again. */
const eventsPerFolder = 4;
/** Ids that no command gives out meanwhile. */
const firstFolder = 100_000_000;

/**
 * Puts folders of one account straight into the log of a service that runs: `count` events. The views know that they
 * are behind and catch up.
 */
export async function fillLog(pool: pg.Pool, accountId: number, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ position: string }>(
      'select position from es.head where only_row for update',
    );
    const head = Number(rows[0]?.position);
    await client.query(`update es.checkpoints c set position = h.position from es.head h
                        where c.processor = any (h.views)`);
    await client.query({
      text: `insert into es.events (position, recorded_at, account_id, event_id, stream_version, schema_version,
               stream_id, category, type, data, metadata)
             select $1::int8 + n, es.now(), $2, gen_random_uuid(), place, 1, 'folder-' || folder, 'folder',
               case place when 1 then 'FolderCreated' when 3 then 'FolderRecolored'
                 when 2 then 'FolderRenamed' else case when folder % 10 = 0 then 'FolderDeleted' else 'FolderRenamed' end end,
               case place when 1 then jsonb_build_object('id', folder, 'name', 'Folder ' || folder, 'color', null)
                 when 3 then jsonb_build_object('color', 'teal')
                 else case when place = 4 and folder % 10 = 0 then '{}'::jsonb
                   else jsonb_build_object('name', 'Folder ' || folder || ' by another name ' || place) end end,
               $3::jsonb
             from (
               select n, $4::int8 + (n - 1) / $6::int4 as folder, ((n - 1) % $6::int4 + 1)::int4 as place
               from generate_series(1, $5::int8) n
             ) numbered`,
      values: [head, accountId, metadata, firstFolder, count, eventsPerFolder],
    });
    await client.query({
      text: `update es.head set position = $1, recorded_at = es.now(), views = '{}'`,
      values: [head + count],
    });
    await client.query(`select pg_notify('es_appended', $1)`, [String(head + count)]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

const metadata = JSON.stringify({
  correlationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  causationId: '0190c7a0-7d2c-7a53-b2a5-6d1d6e1c0a11',
  commandId: null,
  actor: { kind: 'api_key', id: '17' },
});
