import type { Aggregates } from '@parley/event-store';
import { SealBroken, SealKeyMissing, type Secret } from '@parley/process-kit';
import type { Connection } from '../actions/action.ts';
import type { Connections } from '../engine/ports.ts';
import type { Resolved } from '../run/step-class.ts';
import { connectionStream, type KeptConnection, keptConnection } from './connection.ts';
import type { SecretStore } from './secret-store.ts';

/** Finds what an alias of a definition stands for at this moment. */
export function createConnections(aggregates: Aggregates, secrets: SecretStore): Connections {
  /**
   * The connection with its secret. Where the secret was replaced since the connection was read, both are read again.
   */
  async function read(
    id: number,
    accountId: number,
  ): Promise<{ readonly state: KeptConnection; readonly secret?: Secret | undefined }> {
    for (let earlier: string | undefined; ; ) {
      const { state, accountId: owner } = await aggregates.load(connectionStream(id), keptConnection);
      if (!state || owner !== accountId) return { state: null };
      const secret = await secrets.find(state.secretId);
      if (secret || state.secretId === earlier) return { state, secret };
      earlier = state.secretId;
    }
  }
  return {
    async resolve(accountId, { connections }, alias): Promise<Resolved<Connection>> {
      const declared = Object.hasOwn(connections, alias) ? connections[alias] : undefined;
      if (!declared) return missing('CONNECTION_UNBOUND', `There is no connection called ${alias}.`);
      const { kind, id } = declared;
      // Whether the account has the sender is for messaging to say.
      if (kind === 'chatapp_sender') return { ok: true, value: { kind, id: String(id), value: {} } };
      const number = typeof id === 'number' ? id : Number(id.slice('con_'.length));
      try {
        const { state, secret } = await read(number, accountId);
        if (!state)
          return missing('CONNECTION_NOT_FOUND', `The connection ${alias} was deleted, or never existed.`);
        if (state.kind !== kind)
          return missing('CONNECTION_KIND', `The connection ${alias} is a ${state.kind}, not a ${kind}.`);
        if (!secret) return missing('CONNECTION_NOT_FOUND', `The secret of the connection ${alias} is gone.`);
        const { header, username } = state;
        return {
          ok: true,
          value: { kind, id: String(number), value: { header, username, secret: secret.reveal() } },
        };
      } catch (error) {
        if (!(error instanceof SealBroken) || error instanceof SealKeyMissing) throw error;
        return missing('CONNECTION_SEALED', `The secret of the connection ${alias} cannot be opened.`);
      }
    },
  };
}

const missing = (code: string, message: string): Resolved<never> => ({
  ok: false,
  code,
  class: 'missing_connection',
  message,
});
