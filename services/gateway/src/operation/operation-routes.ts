import type { OperationDefinition } from '@parley/contracts';
import { reject } from '@parley/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { answerRejection, answerThrown } from '../edge/answer.ts';
import type { Edge } from '../edge/edge.ts';
import { requestFault } from '../edge/request/request-fault.ts';
import { createFeedHandler } from '../feed/feed-handler.ts';
import { wantsFeed } from '../feed/wants-feed.ts';
import { type AskEarly, createOperationHandler, type Handler } from './handle-operation.ts';
import { createLimitsOf } from './rate-limits.ts';

const overloaded = reject('unavailable');

/**
 * Registers a route for every operation. A new operation needs a contract and a handler in its service, and nothing
 * here.
 */
export function registerOperations(
  app: FastifyInstance,
  operations: readonly OperationDefinition[],
  edge: Edge,
): void {
  for (const operation of operations) app.route(routeOf(operation, edge));
}

function routeOf(operation: OperationDefinition, edge: Edge): RouteOptions {
  const limits = createLimitsOf(operation, edge);
  const { handler, askEarly } = createOperationHandler(operation, edge, limits);
  const handle = operation.isFeed ? feedOr(operation, edge, handler) : handler;
  return {
    method: operation.method,
    url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    config: { operation },
    onRequest: (request, reply, done) => authenticate(edge, request, reply, done, askEarly),
    // The promise is not returned to Fastify: while `onSend` delays an answer, Fastify would send an empty one as
    // well.
    handler(request, reply) {
      handle(request, reply).catch((error: unknown) => answerThrown(edge, request, reply, error));
    },
    ...(limits && { onSend: limits.addMissingHeaders }),
  };
}

function feedOr(operation: OperationDefinition, edge: Edge, handler: Handler): Handler {
  const feed = createFeedHandler(operation, edge);
  return (request, reply) => (wantsFeed(request) ? feed(request, reply) : handler(request, reply));
}

/** Checks the API key before the body is read, so that nothing is parsed for a request without a valid key. */
function authenticate(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
  askEarly: AskEarly | null,
): void {
  const fault = requestFault(request.raw) ?? (edge.waiting.isFull ? overloaded : null);
  if (fault) {
    answerRejection(edge, request, reply, fault);
    return;
  }
  const { caller: known, guess } = edge.authenticate(request.headers.authorization);
  if (!(known instanceof Promise)) {
    request.caller = known;
    done();
    return;
  }
  if (guess) askEarly?.(request, guess);
  edge.waiting.during(known).then(
    (caller) => {
      request.caller = caller;
      request.lookupMs = performance.now() - request.startedAtMs;
      if (caller) done();
      else answerRejection(edge, request, reply, reject('unauthorized'));
    },
    (error) => answerThrown(edge, request, reply, error),
  );
}
