import {
  type ConnectionAuth,
  type ConnectionEvent,
  chainHeader,
  invalidField,
  type Rejection,
  reject,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { isReservedHeader } from '@parley/outgoing-http';
import { type KeptConnection, keptConnection, showConnection } from './connection.ts';

interface ConnectionAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof showConnection>;
}

export interface CreateConnection {
  /** A new id, which no other connection ever has. */
  readonly id: number;
  readonly name: string;
  readonly auth: ConnectionAuth;
  readonly secretId: string;
  readonly now: Date;
}

/** Whether each request has a header of that name already, so that a connection cannot set it. */
const isSetByItself = (header: string): boolean =>
  isReservedHeader(header) || header.toLowerCase() === chainHeader;

/** Creates a connection; `invalid` when its header is one that each request sets by itself. */
export function createConnection(
  state: KeptConnection,
  { secretId, now, ...rest }: CreateConnection,
): Decision<ConnectionEvent, ConnectionAnswer> | Rejection {
  if (rest.auth.kind === 'http_header' && isSetByItself(rest.auth.header))
    return invalidField('header', `The header ${rest.auth.header} is set by itself; choose another one.`);
  const created: ConnectionEvent = {
    type: 'ConnectionCreated',
    data: { ...rest, secret_id: secretId, at: now.toISOString() },
  };
  const after = keptConnection.evolve(null, created);
  if (state || !after) throw new Error(`connection ${rest.id} was given out twice.`);
  return {
    events: [created],
    reply: { message: 'Connection created successfully', data: showConnection(after) },
  };
}

/** Succeeds without an event when nothing would change. */
export function updateConnection(
  state: KeptConnection,
  {
    name,
    secretId,
    now,
  }: { readonly name: string | undefined; readonly secretId: string | undefined; readonly now: Date },
): Decision<ConnectionEvent, ConnectionAnswer> | Rejection {
  if (!state) return reject('not_found');
  const at = now.toISOString();
  const events: ConnectionEvent[] = [];
  if (name !== undefined && name !== state.name)
    events.push({ type: 'ConnectionRenamed', data: { name, at } });
  if (secretId !== undefined)
    events.push({ type: 'ConnectionSecretReplaced', data: { secret_id: secretId, at } });
  const after = events.reduce(keptConnection.evolve, state as KeptConnection) ?? state;
  return { events, reply: { message: 'Connection updated successfully', data: showConnection(after) } };
}

/** Deletes a connection; `not_found` when there is none. */
export function deleteConnection(
  state: KeptConnection,
  now: Date,
): Decision<ConnectionEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'ConnectionDeleted', data: { at: now.toISOString() } }],
    reply: { message: 'Connection deleted successfully' },
  };
}
