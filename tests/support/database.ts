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

export const readRowsOf = <T extends pg.QueryResultRow>(
  databaseUrl: string,
  service: string,
  query: string,
  values: readonly unknown[] = [],
): Promise<T[]> => reading(databaseUrl, service, (read) => read<T>(query, values));

/** Queries of one connection. */
export type Read = <T extends pg.QueryResultRow>(query: string, values?: readonly unknown[]) => Promise<T[]>;

/** For many looks into one service's database, one after the other. */
export async function reading<T>(
  databaseUrl: string,
  service: string,
  look: (read: Read) => Promise<T>,
): Promise<T> {
  const url = new URL(databaseUrl);
  url.pathname = `/parley_${service}`;
  const client = new pg.Client({
    connectionString: url.href,
    options: '-c default_transaction_read_only=on',
  });
  await client.connect();
  try {
    return await look(async (query, values = []) => (await client.query(query, [...values])).rows);
  } finally {
    await client.end();
  }
}
