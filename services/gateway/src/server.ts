import cors from '@fastify/cors';
import type { OperationDefinition } from '@parley/contracts';
import { lazily } from '@parley/process-kit';
import { type FastifyInstance, fastify } from 'fastify';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from './config.ts';
import type { Edge } from './edge/edge.ts';
import './edge/fastify-types.ts';
import { type Pressure, shedLoad } from './edge/load/shed-load.ts';
import { paceOf, type Timeouts } from './edge/load/timeouts.ts';
import { Turns } from './edge/load/turns.ts';
import { KnownPaths } from './edge/request/known-paths.ts';
import { requestIdOf } from './edge/request/request-id.ts';
import { answerBadTarget, registerErrors } from './errors/register-errors.ts';
import { answerSocketError, isRequestTimeout, requestTimedOut } from './errors/socket-errors.ts';
import { registerHooks } from './hooks/hook-routes.ts';
import { createOpenApiDocument } from './openapi/document.ts';
import { registerBodyParser } from './operation/body-parser.ts';
import { registerOperations } from './operation/operation-routes.ts';
import { registerPlainRoutes } from './plain/plain-routes.ts';
import { Spool } from './upload/spool.ts';

/**
 * Longest path parameter, as long as Node lets a request's head be: a very long id is then answered as not found
 * and is no error of the router.
 */
const maxTargetLength = 16 * 1024;

/**
 * How many files may arrive at once. Each takes at most 10 MiB of disk, and little memory. Only four accounts that
 * all send as slowly as they may can occupy all places, for eleven minutes.
 */
const maxUploads = 64;
const maxUploadsPerAccount = 16;

export interface ServerOptions {
  readonly config: Pick<GatewayConfig, 'CORS_ORIGINS' | 'TRUST_PROXY'>;
  readonly operations: readonly OperationDefinition[];
  readonly edge: Edge;
  readonly registry: Registry;
  readonly timeouts: Timeouts;
  readonly pressure: Pressure;
}

/** Builds the HTTP server with all routes; it does not listen yet. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { config, operations, edge, registry, timeouts, pressure } = options;
  const paths = new KnownPaths();
  const spool = new Spool({
    maxFiles: maxUploads,
    maxFilesPerAccount: maxUploadsPerAccount,
    pace: paceOf(timeouts),
    cutOff: (socket) => answerSocketError(requestTimedOut(), socket, edge.securityHeaders),
  });
  const app = fastify({
    logger: false,
    // No limit here, since whoever starts the gateway sets one: a busy machine needs more than the default of 10 s.
    pluginTimeout: 0,
    genReqId: requestIdOf,
    requestIdHeader: false,
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    requestTimeout: timeouts.requestMs,
    connectionTimeout: timeouts.connectionMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    // While draining, requests on open connections are still served: clients follow `Connection: close`.
    return503OnClosing: false,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      // Checked by `requestFault`, so that the answer has a body.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: maxTargetLength },
    frameworkErrors: (_error, request, reply) => answerBadTarget(edge, paths, request, reply),
    clientErrorHandler: (error, socket) => {
      if (isRequestTimeout(error) && spool.isTakingFrom(socket)) return;
      answerSocketError(error, socket, edge.securityHeaders);
    },
  });
  // Other expectations than `100-continue` are ignored (RFC 9110, 10.1.1): the 417 of Node has no body and no request
  // id.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.removeAllContentTypeParsers();
  app.decorateRequest('caller', null);
  app.decorateRequest('early', null);
  app.decorateRequest('startedAtMs', 0);
  app.decorateRequest('lookupMs', 0);
  app.decorateRequest('endsAtMs', 0);
  const turns = new Turns();
  app.addHook('onRequest', (request, reply, done) => turns.wait(request.raw, reply.raw, done));
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAtMs = performance.now();
    request.endsAtMs = request.startedAtMs + timeouts.handlerMs;
    reply.header('x-request-id', request.id);
    if (edge.draining.isUnderWay) reply.header('connection', 'close');
    done();
  });
  app.addHook('onRoute', (route) => paths.add(route));
  registerErrors(app, edge, paths);
  await registerCors(app, config.CORS_ORIGINS);
  await app.register(async (api) => {
    await shedLoad(api, pressure);
    registerBodyParser(api, spool);
    registerOperations(api, operations, edge);
  });
  await app.register((callbacks) => registerHooks(callbacks, edge));
  await app.register((plain) =>
    registerPlainRoutes(
      plain,
      edge,
      registry,
      lazily(() => createOpenApiDocument(operations)),
    ),
  );
  return app;
}

/**
 * Allows pages of the configured origins to call the API. Without any nothing is registered, so that no request
 * pays for it.
 */
async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    strictPreflight: false,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'X-Event-Position',
      'ETag',
      'Idempotent-Replayed',
      'Retry-After',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ],
    maxAge: 600,
  });
}
