import pg from 'pg';
import { sharedStack } from './shared-stack.ts';

/** Read-only look into one service's database of the shared stack. */
export async function readRows<T extends pg.QueryResultRow>(
  service: string,
  query: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  return readRowsOf(sharedStack().databaseUrl, service, query, values);
}

export const countRows = async (service: string, query: string): Promise<number> =>
  (await readRows(service, query)).length;

export async function readRowsOf<T extends pg.QueryResultRow>(
  databaseUrl: string,
  service: string,
  query: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const url = new URL(databaseUrl);
  url.pathname = `/parley_${service}`;
  const client = new pg.Client({
    connectionString: url.href,
    options: '-c default_transaction_read_only=on',
  });
  await client.connect();
  try {
    return (await client.query<T>(query, [...values])).rows;
  } finally {
    await client.end();
  }
}
