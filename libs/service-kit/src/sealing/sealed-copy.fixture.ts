import { randomUUID } from 'node:crypto';
import { type AppendRequest, createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { keyring, newKey } from '@parley/process-kit';
import { createTestDatabase, patience } from '@parley/testing';
import { onTestFinished } from 'vitest';
import { destroyKeys } from '../erasing/destroy-keys.ts';
import { type OpenedSeals, openSeals } from './open-seals.ts';
import type { SubjectKeys } from './subject-keys.ts';

export const ada = '+491701234567';
export const bob = '+14155552671';
export const keys = keyring().parse(newKey());

export interface Copy extends OpenedSeals {
  readonly store: PostgresEventStore;
}

export async function newDatabase(): Promise<string> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return url;
}

/** One copy of a service on the database. */
export async function openCopy(
  connectionString: string,
  onError: (error: unknown) => void = (error) => {
    throw error;
  },
): Promise<Copy> {
  const opened = await openSeals({ connectionString, keyring: keys, onError });
  const { seals } = opened;
  const store = await createPostgresEventStore({ connectionString, seals, onError, timeouts: patience });
  onTestFinished(async () => {
    await store.close();
    await opened.close();
  });
  return { ...opened, store };
}

const metadata = {
  correlationId: 'c',
  causationId: 'c',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
} as const;

export const admitted = (contact_phone: string, overrides: Partial<AppendRequest> = {}): AppendRequest => ({
  streamId: `recipients-${randomUUID()}`,
  category: 'recipients',
  accountId: 1,
  events: [{ type: 'RecipientAdmitted', data: { sender_id: 1, message_id: 1, contact_phone } }],
  expectedVersion: 'any',
  metadata,
  ...overrides,
});

/** What `parley erase` does first: from now on nobody can open what is the person's. */
export const destroy = (
  { store, keys }: { readonly store: PostgresEventStore; readonly keys: SubjectKeys },
  phoneNumber: string,
) => destroyKeys(store.pool, keys, { accountId: 1, phoneNumbers: [phoneNumber] });
