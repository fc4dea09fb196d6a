import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { type Fault, planOf } from './fault.ts';
import { takeFault } from './fault-store.ts';
import type { OperationOf, ProviderName } from './names.ts';
import type { Provider, ProviderAnswer, ProviderRequest, ProviderRoute } from './provider.ts';
import type { RequestLog } from './request-log.ts';

export interface ProviderContext {
  readonly pool: pg.Pool;
  readonly log: RequestLog;
  readonly clock: { now(): Date };
  /** How long a caller who gets no answer is kept waiting at most. */
  readonly silenceMs: number;
  readonly onError: (error: unknown) => void;
}

const jsonType = 'application/json; charset=utf-8';

const garbage: ProviderAnswer = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<html><body>It works!</body>',
};

/** Serves a provider's wire format: every request is logged, then checked for credentials, faults, and answered. */
export function registerProvider<P extends ProviderName>(
  app: FastifyInstance,
  provider: Provider<P>,
  context: ProviderContext,
): void {
  for (const route of provider.routes)
    app.route({
      method: route.method,
      url: route.path,
      handler: (request, reply) => serve(provider, route, context, request, reply),
    });
}

async function serve<P extends ProviderName>(
  provider: Provider<P>,
  route: ProviderRoute<P>,
  { pool, log, clock, silenceMs, onError }: ProviderContext,
  incoming: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const request = readRequest(incoming);
  const operation = typeof route.operation === 'function' ? await route.operation(request) : route.operation;
  const refusal = await provider.refuse(request);
  const { id, mayFail } = await log.arrived({
    provider: provider.name,
    operation,
    method: request.method,
    path: request.url,
    idempotencyKey: route.idempotencyKey?.(request) ?? null,
    body: request.body,
    at: clock.now(),
  });
  const fault = mayFail && !refusal ? await takeFault(pool, provider.name, operation) : null;
  const answer = refusal ?? (await answerOf(provider, route, operation, request, fault, onError));
  await log.answered({ id, status: typeof answer === 'string' ? null : answer.status, fault });
  if (typeof answer === 'string') return withhold(answer, incoming, reply, silenceMs);
  // As bytes: fastify completes the content type of text, and one SDK reads errors only with the bare type.
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  return reply
    .code(answer.status)
    .headers({ 'content-type': jsonType, ...answer.headers })
    .send(answer.body === '' ? undefined : Buffer.from(body));
}

async function answerOf<P extends ProviderName>(
  provider: Provider<P>,
  route: ProviderRoute<P>,
  operation: OperationOf<P>,
  request: ProviderRequest,
  fault: Fault | null,
  onError: (error: unknown) => void,
): Promise<ProviderAnswer | 'silence' | 'reset'> {
  const plan = planOf(fault);
  const handled = plan.runsHandler ? await run(provider, route, request, onError) : provider.breakdown();
  switch (plan.answer) {
    case 'handler':
      return handled;
    case 'rejection':
      return provider.rejection(operation);
    case 'breakdown':
      return provider.breakdown();
    case 'garbage':
      return garbage;
    case 'silence':
    case 'reset':
      return plan.answer;
    default:
      return plan.answer satisfies never;
  }
}

async function run<P extends ProviderName>(
  provider: Provider<P>,
  route: ProviderRoute<P>,
  request: ProviderRequest,
  onError: (error: unknown) => void,
): Promise<ProviderAnswer> {
  try {
    return await route.handle(request);
  } catch (error) {
    onError(error);
    return provider.breakdown();
  }
}

/** The caller gets no answer: the connection is cut at once, or stays open until the caller has had enough. */
function withhold(
  how: 'silence' | 'reset',
  incoming: FastifyRequest,
  reply: FastifyReply,
  silenceMs: number,
): FastifyReply {
  reply.hijack();
  const { socket } = incoming.raw;
  if (how === 'reset') socket.resetAndDestroy();
  else {
    const timer = setTimeout(() => socket.destroy(), silenceMs);
    socket.once('close', () => clearTimeout(timer));
  }
  return reply;
}

function readRequest(incoming: FastifyRequest): ProviderRequest {
  return {
    method: incoming.method,
    url: incoming.url,
    baseUrl: `${incoming.protocol}://${incoming.host}`,
    params: strings(incoming.params),
    query: record(incoming.query),
    headers: incoming.headers,
    body: incoming.body,
  };
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const strings = (value: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(record(value)).map(([key, entry]) => [key, String(entry)]));
