import { type OperationDefinition, type Rejection, reject } from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answer } from '../edge/answer.ts';
import type { Caller } from '../edge/caller/caller.ts';
import type { Edge } from '../edge/edge.ts';
import { knownRejection } from '../errors/error-shapes.ts';
import type { CommandIdentity } from './idempotency.ts';

/** The request that is answered: its operation, its caller, and the identity of its command. */
interface Asked {
  readonly operation: OperationDefinition;
  readonly caller: Caller;
  readonly identity: CommandIdentity;
}

/**
 * Sends a service's answer unchanged, with its headers; returns the rejection to answer instead when the service
 * rejected or there is no room for a large answer.
 */
export function passAnswer(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  answered: BusReply,
  { operation, caller, identity }: Asked,
): Rejection | null {
  if (answered.kind === 'rejected') return knownRejection(answered.rejection);
  const { bytes, position, version, replayed } = answered;
  const body = bytes ?? answered.body;
  if (!edge.largeAnswers.hold(body, caller.accountId, reply)) return reject('unavailable');
  if (position !== undefined) reply.header('x-event-position', String(position));
  if (version !== undefined) reply.header('etag', `"${version}"`);
  if (replayed === true && identity.fingerprint !== null) reply.header('idempotent-replayed', 'true');
  answer(edge, request, reply, operation.success.status, body);
  return null;
}
