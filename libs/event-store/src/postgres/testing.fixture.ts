import { createTestDatabase } from '@parley/testing';
import { onTestFinished } from 'vitest';
import {
  createPostgresEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
} from './postgres-event-store.ts';

/** A database of its own, gone when the test ends. */
export async function newDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

/** A store that is closed before its database goes. */
export async function openStore(
  connectionString: string,
  options: Omit<PostgresEventStoreOptions, 'connectionString'> = {},
): Promise<PostgresEventStore> {
  const store = await createPostgresEventStore({ connectionString, ...options });
  onTestFinished(() => store.close());
  return store;
}
