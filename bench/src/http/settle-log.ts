import pg from 'pg';

/** 1 GiB: what a server with `max_wal_size` of 2 GB writes between two checkpoints, at the most. */
const segments = 64;

/**
 * Brings a fresh Postgres to where it is after some use: it writes over the files of its log that a checkpoint has done
 * with. Each new one it would have to fill with 16 MB of zeros first, and every commit waits for that.
 */
export async function settleLog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (let made = 0; made < segments; made += 1)
      await client.query('select pg_logical_emit_message(true, $1, $1), pg_switch_wal()', ['settle']);
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}
