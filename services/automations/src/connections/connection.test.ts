import type { ConnectionEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { createConnection, deleteConnection, updateConnection } from './change-connection.ts';
import { connectionStream, keptConnection, showConnection } from './connection.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const at = now.toISOString();
const created = golden<ConnectionEvent>('ConnectionCreated.v2');
const crm = given(keptConnection, ...created);

test('a connection is created with everything but its secret, which has an id', () => {
  const auth = { kind: 'http_bearer' } as const;
  expect(createConnection(null, { id: 7, name: 'CRM', auth, secretId: 's1', now })).toEqual({
    events: [{ type: 'ConnectionCreated', data: { id: 7, name: 'CRM', auth, secret_id: 's1', at } }],
    reply: {
      message: 'Connection created successfully',
      data: {
        id: 7,
        reference: 'con_7',
        name: 'CRM',
        kind: 'http_bearer',
        header: null,
        username: null,
        created_at: at,
        updated_at: at,
      },
    },
  });
  expect(() => createConnection(crm, { id: 7, name: 'CRM', auth, secretId: 's1', now })).toThrow(
    'connection 7 was given out twice.',
  );
  expect(connectionStream(7)).toBe('connection-7');
});

test.each(['Host', 'content-length', 'Connection', 'X-Parley-Chain-Depth'])(
  'a connection by the header %s, which each request has of its own, is refused',
  (header) => {
    const auth = { kind: 'http_header', header } as const;
    expect(createConnection(null, { id: 7, name: 'CRM', auth, secretId: 's1', now })).toEqual({
      code: 'invalid',
      fields: { header: [`The header ${header} is set by itself; choose another one.`] },
    });
  },
);

test('only what is new is an event: the name, the secret, both, or none', () => {
  const update = (name?: string, secretId?: string) => updateConnection(crm, { name, secretId, now });
  expect(update(crm?.name)).toMatchObject({ events: [], reply: { data: { updated_at: crm?.updatedAt } } });
  expect(update('Other')).toMatchObject({
    events: [{ type: 'ConnectionRenamed', data: { name: 'Other', at } }],
    reply: { message: 'Connection updated successfully', data: { name: 'Other', updated_at: at } },
  });
  const both = update('Other', 's2');
  expect(both).toMatchObject({
    events: [
      { type: 'ConnectionRenamed' },
      { type: 'ConnectionSecretReplaced', data: { secret_id: 's2', at } },
    ],
  });
  if (!('events' in both)) throw new Error(both.code);
  const after = given({ ...keptConnection, initialState: crm }, ...both.events);
  expect(after).toMatchObject({ name: 'Other', secretId: 's2', updatedAt: at, createdAt: crm?.createdAt });
});

test('it is deleted once, and not found afterwards', () => {
  expect(deleteConnection(crm, now)).toEqual({
    events: [{ type: 'ConnectionDeleted', data: { at } }],
    reply: { message: 'Connection deleted successfully' },
  });
  const deleted = given(keptConnection, ...created, ...golden<ConnectionEvent>('ConnectionDeleted.v1'));
  expect(deleted).toBeNull();
  expect(deleteConnection(deleted, now)).toEqual({ code: 'not_found' });
  expect(updateConnection(deleted, { name: 'x', secretId: undefined, now })).toEqual({ code: 'not_found' });
});

test('what an earlier release wrote is the same connection', () => {
  const shown = (state: typeof crm) => state && showConnection(state);
  expect(shown(given(keptConnection, ...golden<ConnectionEvent>('ConnectionCreated.v1')))).toMatchObject({
    id: 7,
    name: 'CRM',
    kind: 'http_header',
    header: 'X-Api-Key',
    username: null,
  });
});
