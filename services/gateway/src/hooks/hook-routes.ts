import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import {
  type InternalMessage,
  receiveAutomationWebhook,
  receiveChatCallback,
  receivePaymentCallback,
  receiveSmsCallback,
  receiveVoiceCallback,
  reject,
  subjectOf,
  verifyChatSubscription,
} from '@parley/contracts';
import { type BusReply, internalContext, Shares } from '@parley/message-bus';
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
} from 'fastify';
import { answer, answerRejection, answerThrown } from '../edge/answer.ts';
import type { Edge } from '../edge/edge.ts';
import { newId } from '../edge/request/new-id.ts';
import { BodyFault, readBody } from '../edge/request/read-body.ts';
import { requestFault } from '../edge/request/request-fault.ts';
import { knownRejection } from '../errors/error-shapes.ts';

/** What a kind of provider posts to `/hooks/<kind>/{provider}`, and which of its headers its signature is made of. */
interface Hook {
  readonly message: InternalMessage;
  readonly signedHeaders: readonly string[];
  /** Whether the signature covers the called URL as well. */
  readonly isTargetSigned?: true;
  /** The largest body where it may be larger than a message of the bus; it is sent on as gzip. */
  readonly bodyLimitBytes?: number;
  /** `Retry-After` in seconds of a callback that cannot be taken now, for providers that obey it and soon give up. */
  readonly retryAfterSeconds?: number;
}

const hooks: Readonly<Record<string, Hook>> = {
  // Meta puts up to a thousand events into a notification of up to 3 MiB.
  chat: {
    message: receiveChatCallback,
    signedHeaders: ['x-hub-signature-256'],
    bodyLimitBytes: 3 * 1024 * 1024,
  },
  sms: { message: receiveSmsCallback, signedHeaders: ['x-twilio-signature'], isTargetSigned: true },
  payments: { message: receivePaymentCallback, signedHeaders: ['stripe-signature'] },
  // LiveKit repeats a webhook four times, and drops one that has waited behind another of its room for over half a
  // minute.
  voice: { message: receiveVoiceCallback, signedHeaders: ['authorization'], retryAfterSeconds: 5 },
};

/** The largest body of other callbacks: in base64 it still fits into a message of the bus (1 MiB). */
const bodyLimitBytes = 640 * 1024;
/** How many larger bodies, or bodies of unknown length, are held at once: their senders are not verified yet. */
const maxLargeBodies = 64;

/**
 * Callbacks of providers. They carry no key but a signature, which the service checks over exactly the bytes that
 * arrived: here nothing is read and nothing decided.
 */
export async function registerHooks(app: FastifyInstance, edge: Edge): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', ({ routeOptions }: FastifyRequest, payload: IncomingMessage, done) =>
    readBody(payload, routeOptions.bodyLimit ?? bodyLimitBytes, done),
  );
  app.addHook('onRequest', (request, reply, done) => {
    const fault = requestFault(request.raw) ?? (edge.waiting.isFull ? reject('unavailable') : null);
    if (fault) answerRejection(edge, request, reply, fault);
    else done();
  });
  app.addHook('preHandler', (request, reply, done) => {
    if (request.body instanceof BodyFault) answerRejection(edge, request, reply, request.body.rejection);
    else done();
  });
  const placeIfLarge = takePlaceIfLarge(edge, new Shares(maxLargeBodies));
  for (const [kind, { message, signedHeaders, isTargetSigned, ...hook }] of Object.entries(hooks))
    app.post<{ Params: { provider: string } }>(
      `/hooks/${kind}/:provider`,
      {
        ...(hook.bodyLimitBytes === undefined
          ? { bodyLimit: bodyLimitBytes }
          : { bodyLimit: hook.bodyLimitBytes, onRequest: placeIfLarge }),
        ...(hook.retryAfterSeconds === undefined ? {} : { onSend: comeAgainIn(hook.retryAfterSeconds) }),
      },
      async (request, reply) => {
        const body = await bodyOf(request);
        if (!body) return answerRejection(edge, request, reply, reject('payload_too_large'));
        await pass(edge, request, reply, message, {
          provider: request.params.provider.slice(0, 64),
          headers: Object.fromEntries(
            signedHeaders.map((name) => [name, String(request.headers[name] ?? '').slice(0, 1024)]),
          ),
          ...body,
          ...(isTargetSigned ? { target: request.url.slice(0, 2_048) } : {}),
        });
      },
    );
  registerSubscriptionCheck(app, edge);
  registerAutomationWebhooks(app, edge);
}

const comeAgainIn =
  (seconds: number): onSendHookHandler =>
  (_, reply, payload, done) => {
    if (reply.statusCode === 503) reply.header('retry-after', String(seconds));
    done(null, payload);
  };

const takePlaceIfLarge =
  (edge: Edge, places: Shares): onRequestHookHandler =>
  (request, reply, done) => {
    const isLarge = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY) > bodyLimitBytes;
    const giveBack = isLarge ? places.take(null) : undefined;
    if (giveBack) reply.raw.once('close', giveBack);
    if (isLarge && !giveBack) answerRejection(edge, request, reply, reject('unavailable'));
    else done();
  };

const compress = promisify(gzip);

/** The body as it is sent over the bus; `undefined` when it does not fit even compressed. */
async function bodyOf({ body }: FastifyRequest) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  if (bytes.length <= bodyLimitBytes) return { body_base64: bytes.toString('base64') };
  const compressed = await compress(bytes, { level: constants.Z_BEST_SPEED });
  if (compressed.length > bodyLimitBytes) return undefined;
  return { body_base64: compressed.toString('base64'), is_gzipped: true };
}

interface Challenge {
  readonly 'hub.verify_token'?: unknown;
  readonly 'hub.challenge'?: unknown;
}

/**
 * Answers Meta's check of the URL, made once when it is entered at Meta: when the service accepts the token, the
 * challenge is sent back unchanged.
 */
function registerSubscriptionCheck(app: FastifyInstance, edge: Edge): void {
  app.get<{ Params: { provider: string }; Querystring: Challenge }>(
    '/hooks/chat/:provider',
    async (request, reply) => {
      const { 'hub.verify_token': token, 'hub.challenge': challenge } = request.query;
      await pass(
        edge,
        request,
        reply,
        verifyChatSubscription,
        { provider: request.params.provider.slice(0, 64), token: String(token ?? '').slice(0, 512) },
        () =>
          reply
            .headers(edge.securityHeaders)
            .type('text/plain; charset=utf-8')
            .send(String(challenge ?? '')),
      );
    },
  );
}

/**
 * The headers of a webhook that an automation may use; credentials and other headers must not reach its templates.
 */
const passedHeaders =
  /^(content-(type|encoding)|user-agent|idempotency-key|webhook-(id|timestamp|signature)|x-.*)$/;
const maxPassedHeaders = 50;

/** Receives requests to the webhook address of an automation; the token in the path is its secret. */
function registerAutomationWebhooks(app: FastifyInstance, edge: Edge): void {
  app.post<{ Params: { token: string } }>(
    '/hooks/automations/:token',
    { bodyLimit: bodyLimitBytes },
    (request, reply) =>
      pass(edge, request, reply, receiveAutomationWebhook, {
        token: request.params.token.slice(0, 128),
        headers: Object.fromEntries(
          Object.entries(request.headers)
            .filter(([name]) => passedHeaders.test(name) && name !== 'x-request-id')
            .slice(0, maxPassedHeaders)
            .map(([name, value]) => [name, String(value ?? '').slice(0, 1024)]),
        ),
        body_base64: Buffer.isBuffer(request.body) ? request.body.toString('base64') : '',
      }),
  );
}

async function pass(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  message: InternalMessage,
  payload: object,
  succeed: (answered: Extract<BusReply, { kind: 'ok' }>) => unknown = ({ body }) =>
    answer(edge, request, reply, 200, body),
): Promise<void> {
  const leave = edge.waiting.enter(message.service, null);
  if (!leave) return answerRejection(edge, request, reply, reject('unavailable'));
  try {
    const asked = edge.ask(
      {
        service: message.service,
        subject: subjectOf(message),
        payload: JSON.stringify(payload),
        context: internalContext({
          accountId: null,
          actor: { kind: 'provider', id: 'unverified' },
          commandId: message.kind === 'command' ? newId() : null,
          correlationId: request.id,
          timeoutMs: edge.handlerTimeoutMs,
        }),
      },
      edge.handlerTimeoutMs,
    );
    const answered = await edge.waiting.during(asked);
    if (answered.kind === 'rejected')
      answerRejection(edge, request, reply, knownRejection(answered.rejection));
    else await succeed(answered);
  } catch (error) {
    answerThrown(edge, request, reply, error);
  } finally {
    leave();
  }
}
