import pg from 'pg';

/** What `query` counts in that database. */
export async function count(databaseUrl: string, query: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(query);
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}
