import type { OperationDefinition } from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import type { ServiceCopies } from '@parley/testing';

let accounts = 100;

/** What a fresh account sends. */
export function freshAccount(copies: ServiceCopies) {
  accounts += 1;
  const accountId = accounts;
  return Object.assign(
    (operation: OperationDefinition, payload: object, context: Partial<MessageContext> = {}) =>
      copies.send(operation, payload, { accountId, actor: { kind: 'api_key', id: '41' }, ...context }),
    { accountId },
  );
}

export const bodyOf = (reply: BusReply) => {
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body);
};
