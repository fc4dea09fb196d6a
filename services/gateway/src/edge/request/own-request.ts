import { type InternalMessage, subjectOf } from '@parley/contracts';
import { type BusReply, type BusRequest, internalContext, ServiceUnavailable } from '@parley/message-bus';
import type { z } from 'zod';
import { newId } from './new-id.ts';

/** A bus request of the gateway in its own name, for no account. */
export const ownRequest = <I extends z.ZodType>(
  message: InternalMessage<I>,
  input: z.input<I>,
  timeoutMs: number,
): BusRequest => ({
  service: message.service,
  subject: subjectOf(message),
  payload: JSON.stringify(input),
  context: internalContext({
    accountId: null,
    actor: { kind: 'system', id: 'gateway' },
    correlationId: newId(),
    timeoutMs,
  }),
});

/** The output in the reply to such a request. Throws `ServiceUnavailable` for any rejection. */
export function ownAnswer<O extends z.ZodType>(
  { output }: InternalMessage<z.ZodType, O>,
  reply: BusReply,
): z.output<O> {
  if (reply.kind === 'rejected') throw new ServiceUnavailable(reply.rejection.code);
  return output.parse(JSON.parse(reply.body));
}
