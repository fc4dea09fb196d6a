import { type OperationDefinition, type OperationSuccess, subjectOf } from '@parley/contracts';
import {
  type BusClient,
  type BusRejection,
  isMomentary,
  type MessageContext,
  ServiceUnavailable,
} from '@parley/message-bus';
import { onBehalfOf } from '@parley/service-kit';

const timeoutMs = 3_000;

/** The other service's answer; a rejection is about the request, since momentary ones are thrown. */
export type CallersAnswer<O extends OperationDefinition> =
  | { readonly kind: 'ok'; readonly body: OperationSuccess<O> }
  | { readonly kind: 'rejected'; readonly rejection: BusRejection };

/**
 * Asks another service in the caller's name, about what the caller's account has. A command needs an id of its own,
 * for which it is effective once. Rejects when the service does not answer, or cannot answer now.
 */
export async function askAsCaller<O extends OperationDefinition>(
  bus: BusClient,
  message: MessageContext,
  operation: O,
  input: object,
  commandId: string | null = null,
): Promise<CallersAnswer<O>> {
  const reply = await bus.request({
    service: operation.service,
    subject: subjectOf(operation),
    payload: JSON.stringify(input),
    context: { ...onBehalfOf(message), commandId, timeoutMs },
  });
  if (reply.kind === 'rejected') {
    const { rejection } = reply;
    if (isMomentary(rejection)) throw new ServiceUnavailable(`${operation.service}: ${rejection.code}`);
    return reply;
  }
  return {
    kind: 'ok',
    body: operation.success.schema.parse(JSON.parse(reply.body)) as OperationSuccess<O>,
  };
}
