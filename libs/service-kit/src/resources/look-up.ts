import { type InternalMessage, type ServiceName, subjectOf } from '@parley/contracts';
import {
  type BusClient,
  internalContext,
  type MessageContext,
  ServiceUnavailable,
} from '@parley/message-bus';
import type { z } from 'zod';

/** A query, and as much of its answer as is wanted. */
type Query<Output extends z.ZodType> = Pick<InternalMessage, 'service' | 'kind' | 'name'> & {
  readonly output: Output;
};

/**
 * What another service answers; `null` for "not found". Rejects with `ServiceUnavailable` for any other "no", and as the
 * bus does when nobody answers.
 */
export async function lookUp<Output extends z.ZodType>(
  bus: BusClient,
  query: Query<Output>,
  payload: object,
  context: MessageContext,
): Promise<z.output<Output> | null> {
  const reply = await bus.request({
    service: query.service,
    subject: subjectOf(query),
    payload: JSON.stringify(payload),
    context,
  });
  if (reply.kind === 'ok') return query.output.parse(JSON.parse(reply.body));
  if (reply.rejection.code === 'not_found') return null;
  throw new ServiceUnavailable(`${query.service}: ${reply.rejection.code}`);
}

/** The context of a query in the caller's name, about what the caller's account has. */
export const onBehalfOf = (message: MessageContext): MessageContext => ({
  ...message,
  commandId: null,
  fingerprint: null,
  expectedVersion: null,
});

/**
 * The context of a query that a service asks in its own name: about what one account has, or with `null` about what
 * anybody has. It gives up after three seconds.
 */
export const asService = (
  service: ServiceName,
  accountId: number | null,
  correlationId: string,
): MessageContext =>
  internalContext({
    accountId,
    actor: { kind: 'system', id: service },
    correlationId,
    timeoutMs: 3_000,
  });
