import { createTestDatabase, patience } from '@parley/testing';
import { onTestFinished } from 'vitest';
import {
  createPostgresEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
} from './postgres-event-store.ts';

/** A database of its own, gone when the test ends. */
export async function newDatabase(create = createTestDatabase): Promise<string> {
  const { url, drop } = await create();
  onTestFinished(drop);
  return url;
}

/** A store that is closed before its database goes, and gives nothing up unless the test says when. */
export async function openStore(
  connectionString: string,
  { timeouts, ...options }: Omit<PostgresEventStoreOptions, 'connectionString'> = {},
): Promise<PostgresEventStore> {
  const store = await createPostgresEventStore({
    connectionString,
    timeouts: { ...patience, ...timeouts },
    ...options,
  });
  onTestFinished(() => store.close());
  return store;
}
