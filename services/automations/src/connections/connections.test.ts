import type { ConnectionEvent } from '@parley/contracts';
import { Aggregates, createInMemoryEventStore } from '@parley/event-store';
import { Secret } from '@parley/process-kit';
import { golden, testMetadata } from '@parley/testing';
import { expect, test } from 'vitest';
import { connectionCategory, connectionStream } from './connection.ts';
import { createConnections } from './connections.ts';

const accountId = 3;
const [created, replaced] = golden<ConnectionEvent>('ConnectionCreated.v1', 'ConnectionSecretReplaced.v1');

/** A connection, and what a step of `whose` that uses it is given; `meanwhile` comes before its secret is looked for first. */
async function resolved(
  meanwhile: (record: (event: ConnectionEvent) => Promise<void>) => Promise<void>,
  whose = accountId,
) {
  if (created?.type !== 'ConnectionCreated' || replaced?.type !== 'ConnectionSecretReplaced')
    throw new Error('Other golden files.');
  const { id, auth, secret_id: first } = created.data;
  const store = createInMemoryEventStore();
  const kept = new Map([[first, 'old']]);
  async function record(event: ConnectionEvent): Promise<void> {
    await store.append({
      streamId: connectionStream(id),
      category: connectionCategory,
      accountId,
      events: [event],
      expectedVersion: 'any',
      metadata: testMetadata,
    });
    if (event.type === 'ConnectionSecretReplaced') kept.set(event.data.secret_id, 'new');
    if (event !== created) kept.delete(first);
  }
  await record(created);
  let finds = 0;
  const connections = createConnections(new Aggregates(store), {
    async find(secretId) {
      finds += 1;
      if (finds === 1) await meanwhile(record);
      const secret = kept.get(secretId);
      return secret === undefined ? undefined : new Secret(secret);
    },
    async keep() {},
    async forget() {},
  });
  const definition = { connections: { crm: { kind: auth.kind, id: `con_${id}` } } };
  return connections.resolve(whose, definition, 'crm');
}

test('a connection is given with its secret', async () => {
  expect(await resolved(async () => undefined)).toMatchObject({
    ok: true,
    value: { value: { secret: 'old' } },
  });
});

test('a connection of another account is not there', async () => {
  expect(await resolved(async () => undefined, accountId + 1)).toMatchObject({
    ok: false,
    code: 'CONNECTION_NOT_FOUND',
  });
});

test('a connection whose secret is replaced at that moment is given with the new one', async () => {
  expect(await resolved(async (record) => replaced && record(replaced))).toMatchObject({
    ok: true,
    value: { value: { secret: 'new' } },
  });
});

test('a connection that is deleted at that moment is not there', async () => {
  const deleted: ConnectionEvent = { type: 'ConnectionDeleted', data: { at: '2026-11-21T09:30:00.000Z' } };
  expect(await resolved((record) => record(deleted))).toMatchObject({
    ok: false,
    code: 'CONNECTION_NOT_FOUND',
  });
});
