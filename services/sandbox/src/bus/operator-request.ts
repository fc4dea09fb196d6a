import { randomUUID } from 'node:crypto';
import { type BusRequest, internalContext } from '@parley/message-bus';

const timeoutMs = 5_000;

/** A bus request of the sandbox to a service, as the operator of the stack and for no account. */
export function operatorRequest(service: string, subject: string, input: object): BusRequest {
  const id = randomUUID();
  return {
    service,
    subject,
    payload: JSON.stringify(input),
    context: internalContext({
      accountId: null,
      actor: { kind: 'operator', id: 'sandbox' },
      commandId: id,
      correlationId: id,
      timeoutMs,
    }),
  };
}
