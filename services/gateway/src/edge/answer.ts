import type { OperationDefinition, Rejection } from '@parley/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, thrownRejection } from '../errors/error-shapes.ts';
import type { Edge } from './edge.ts';

const json = 'application/json; charset=utf-8';

/**
 * Sends an answer of the API and counts it in the metrics. `body` is JSON, as text or in UTF-8, and goes out
 * unchanged.
 */
export function answer(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  body: string | Buffer,
): void {
  const { operation } = request.routeOptions.config;
  edge.observe({
    operation: operation?.name ?? 'none',
    status,
    durationMs: performance.now() - request.startedAtMs,
    requestId: request.id,
  });
  if (edge.draining.isUnderWay) reply.header('connection', 'close');
  reply
    .code(status)
    .headers(edge.securityHeaders)
    .header('x-request-id', request.id)
    .type(json)
    .send(edge.largeAnswers.paced(body, request, reply));
}

/** Sends a rejection in the error shape of the request's operation. */
export function answerRejection(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  rejection: Rejection,
  operation: OperationDefinition | undefined = request.routeOptions.config.operation,
): void {
  const { status, body, headers } = errorAnswer(rejection, operation ?? null);
  answer(edge, request, reply.headers(headers), status, body);
}

/** Sends the answer to an exception. A fault of ours is logged, and the caller learns nothing of its cause. */
export function answerThrown(edge: Edge, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const rejection = thrownRejection(error);
  if (rejection.code === 'internal')
    edge.logger.error(
      { err: error, request_id: request.id, route: request.routeOptions.url },
      'a request failed',
    );
  answerRejection(edge, request, reply, rejection);
}
