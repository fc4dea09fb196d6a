import { reject } from '@parley/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerRejection, answerThrown } from '../edge/answer.ts';
import type { Edge } from '../edge/edge.ts';
import type { KnownPaths } from '../edge/request/known-paths.ts';

/** Gives what Fastify answers by itself our error shapes: thrown errors, unknown routes, wrong methods. */
export function registerErrors(app: FastifyInstance, edge: Edge, paths: KnownPaths): void {
  app.setErrorHandler((error, request, reply) => answerThrown(edge, request, reply, error));
  app.setNotFoundHandler((request, reply) => {
    const allowed = paths.methodsOf(request.url);
    if (allowed.length === 0) answerRejection(edge, request, reply, reject('route_not_found'));
    else {
      reply.header('allow', allowed.join(', '));
      answerRejection(edge, request, reply, reject('method_not_allowed'));
    }
  });
}

/**
 * A target with a broken escape (`%zz`) never reaches a route. Under an operation's path it is an id that cannot exist,
 * so it is answered as one: first the key, then not found.
 */
export async function answerBadTarget(
  edge: Edge,
  paths: KnownPaths,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  request.startedAtMs = performance.now();
  const operation = paths.operationOf(request.method, request.raw.url ?? '');
  if (!operation) {
    answerRejection(edge, request, reply, reject('route_not_found'));
    return;
  }
  try {
    const caller = await edge.authenticate(request.headers.authorization).caller;
    const rejection = reject(caller ? 'not_found' : 'unauthorized');
    answerRejection(edge, request, reply, rejection, operation);
  } catch (error) {
    answerThrown(edge, request, reply, error);
  }
}
