import type { Aggregates } from '@parley/event-store';
import { SealBroken } from '@parley/process-kit';
import type { Connection } from '../actions/action.ts';
import type { CompiledDefinition } from '../definition/compiled.ts';
import type { Connections } from '../engine/ports.ts';
import type { Resolved } from '../run/step-class.ts';
import { connectionStream, keptConnection } from './connection.ts';
import type { SecretStore } from './secret-store.ts';

/** What an alias stands for at this moment. */
export function createConnections(aggregates: Aggregates, secrets: SecretStore): Connections {
  return {
    async resolve(accountId, { connections }: CompiledDefinition, alias): Promise<Resolved<Connection>> {
      const declared = Object.hasOwn(connections, alias) ? connections[alias] : undefined;
      if (!declared) return missing('CONNECTION_UNBOUND', `There is no connection called ${alias}.`);
      const { kind, id } = declared;
      // Whether the sender is the account's is for messaging to say.
      if (kind === 'chatapp_sender') return { ok: true, value: { kind, id: String(id), value: {} } };
      const number = typeof id === 'number' ? id : Number(id.slice('con_'.length));
      const { state, accountId: owner } = await aggregates.load(connectionStream(number), keptConnection);
      if (!state || owner !== accountId)
        return missing('CONNECTION_NOT_FOUND', `The connection ${alias} was deleted, or never existed.`);
      if (state.kind !== kind)
        return missing('CONNECTION_KIND', `The connection ${alias} is a ${state.kind}, not a ${kind}.`);
      try {
        const secret = await secrets.find(state.secretId);
        if (!secret) return missing('CONNECTION_NOT_FOUND', `The secret of the connection ${alias} is gone.`);
        const { header, username } = state;
        return {
          ok: true,
          value: { kind, id: String(number), value: { header, username, secret: secret.reveal() } },
        };
      } catch (error) {
        if (!(error instanceof SealBroken)) throw error;
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
