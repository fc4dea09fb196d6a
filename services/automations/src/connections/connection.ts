import type { ConnectionEvent, ConnectionKind } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/**
 * A connection as its stream tells it; its secret is kept elsewhere, under `secretId`. Null before it is created and
 * after it is deleted.
 */
export type KeptConnection = {
  readonly id: number;
  readonly name: string;
  readonly kind: ConnectionKind;
  readonly header: string | null;
  readonly username: string | null;
  readonly secretId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
} | null;

export const connectionCategory = 'connection';
export const connectionStream = (id: number): string => `${connectionCategory}-${id}`;

export const keptConnection: Fold<KeptConnection, ConnectionEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ConnectionCreated': {
        const { secret_id: secretId, at, auth, ...rest } = event.data;
        const kept = { ...rest, secretId, createdAt: at, updatedAt: at };
        return { ...kept, header: null, username: null, ...auth };
      }
      case 'ConnectionRenamed':
        return state && { ...state, name: event.data.name, updatedAt: event.data.at };
      case 'ConnectionSecretReplaced':
        return state && { ...state, secretId: event.data.secret_id, updatedAt: event.data.at };
      case 'ConnectionDeleted':
        return null;
      default:
        return state;
    }
  },
};

/** A connection as the API shows it: everything but the secret. */
export const showConnection = ({
  id,
  name,
  kind,
  header,
  username,
  createdAt,
  updatedAt,
}: NonNullable<KeptConnection>) => ({
  id,
  reference: `con_${id}`,
  name,
  kind,
  header,
  username,
  created_at: createdAt,
  updated_at: updatedAt,
});
