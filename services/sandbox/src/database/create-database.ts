import pg from 'pg';

const duplicateDatabase = '42P04';
const uniqueViolation = '23505';

/** The URL of the stand-in's own database on the server of `serverUrl`; creates it when it is missing. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
  } catch (error) {
    if (!wasCreatedMeanwhile(error)) throw error;
  } finally {
    await client.end();
  }
  return url.href;
}

const wasCreatedMeanwhile = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && (error.code === duplicateDatabase || error.code === uniqueViolation);
