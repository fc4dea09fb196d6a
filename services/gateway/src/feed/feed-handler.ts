import { type OperationDefinition, reject, subjectOf } from '@parley/contracts';
import {
  type BusRejection,
  type BusReply,
  internalContext,
  isMomentary,
  isUnanswered,
  ServiceUnavailable,
  Shares,
} from '@parley/message-bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerRejection, answerThrown } from '../edge/answer.ts';
import type { Caller } from '../edge/caller/caller.ts';
import type { Edge } from '../edge/edge.ts';
import { timeLeftOf } from '../edge/request/time-left.ts';
import { knownRejection } from '../errors/error-shapes.ts';
import { validateInput } from '../operation/validate-input.ts';
import { type FramedPage, framePage, startOf } from './event-frames.ts';
import { FeedStream } from './feed-stream.ts';

/**
 * How many feeds there may be, beyond which a client gets 503: each holds a connection and asks for a page whenever
 * something happens.
 */
const maxFeeds = 1000;
const maxFeedsPerAccount = 100;
const pageSize = 100;
/** Pause in milliseconds before a page is asked for again when no service could answer. */
const retryMs = 1000;

/**
 * Serves an operation's pages as server-sent events, as long as the client stays and its key is valid. The next
 * page is asked for when the one before has left, so a slow client slows only its own feed. During an outage the
 * feed sends heartbeats and then goes on. It ends when the gateway drains; clients resume elsewhere with
 * `Last-Event-ID`.
 */
export function createFeedHandler(operation: OperationDefinition, edge: Edge) {
  const places = new Shares(maxFeeds, maxFeedsPerAccount);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { caller } = request;
    if (!caller) return answerRejection(edge, request, reply, reject('unauthorized'));
    const input = validateInput(operation, rawInputOf(request));
    if (!input.isValid) return answerRejection(edge, request, reply, input.rejection);
    const giveBack = edge.draining.isUnderWay ? undefined : places.take(caller.accountId);
    if (!giveBack) return answerRejection(edge, request, reply, reject('unavailable'));
    try {
      await stream(request, reply, caller, input.value);
    } finally {
      giveBack();
    }
  };

  async function stream(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller,
    input: object,
  ): Promise<void> {
    let page: FramedPage;
    try {
      // Before the answer begins: a "no" is an ordinary answer with its status.
      const first = await askForPage(request, caller, input, timeLeftOf(request));
      if (first.kind === 'rejected')
        return answerRejection(edge, request, reply, knownRejection(first.rejection));
      page = framePage(first.body);
    } catch (error) {
      return answerThrown(edge, request, reply, error);
    }
    const { heartbeatMs, stalledMs } = edge.feedTimeouts;
    const headers = { ...edge.securityHeaders, 'x-request-id': request.id };
    const feed = new FeedStream(reply, headers, stalledMs);
    // How long a client stays is up to the client, and says nothing about us.
    const durationMs = performance.now() - request.startedAtMs;
    const stopWaking = edge.wakes.add(caller.accountId, () => feed.wake());
    // What happened between the first page and now woke nobody.
    feed.wake();
    const stopDraining = edge.draining.onStart(() => feed.end());
    try {
      while (await feed.send(page.text)) {
        const hasNews = page.hasMore ? page.text !== '' : await feed.rest(heartbeatMs);
        if (!hasNews) await feed.send(': heartbeat\n\n');
        if (feed.isOver) break;
        const following = await unlessAway(() => followingPage(request, caller, input, page));
        if (following === null) break;
        if (!following) await feed.rest(retryMs);
        page = following ?? { ...page, text: '', hasMore: true };
      }
    } catch (error) {
      edge.logger.warn({ err: error, request_id: request.id }, 'a feed was cut off');
    } finally {
      stopWaking();
      stopDraining();
      feed.end();
      edge.observe({ operation: `${operation.name}-feed`, status: 200, durationMs, requestId: request.id });
    }
  }

  /** `null` when the key is not the caller's any more; it is looked at anew for each page. */
  async function followingPage(
    request: FastifyRequest,
    caller: Caller,
    input: object,
    { next }: FramedPage,
  ): Promise<FramedPage | null> {
    if (!(await isStillCaller(edge, request, caller))) return null;
    const page = await askForPage(request, caller, { ...input, after: next }, edge.handlerTimeoutMs);
    if (page.kind === 'ok') return framePage(page.body);
    const { code } = page.rejection;
    throw isAway(page.rejection) ? new ServiceUnavailable(code) : new Error(code);
  }

  function askForPage(
    request: FastifyRequest,
    caller: Caller,
    question: object,
    timeoutMs: number,
  ): Promise<BusReply> {
    const context = internalContext({
      accountId: caller.accountId,
      actor: { kind: 'api_key', id: caller.apiKeyId },
      correlationId: request.id,
      timeoutMs,
    });
    const { service } = operation;
    const payload = JSON.stringify(question);
    const asked = { service, subject: subjectOf(operation), payload, context };
    return edge.ask(asked, timeoutMs);
  }
}

const isAway = (rejection: BusRejection): boolean => isMomentary(rejection) || rejection.code === 'timeout';

/** The result of `ask`; `undefined` when no service answers for now. */
async function unlessAway<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isUnanswered(error)) return undefined;
    throw error;
  }
}

/** Whether the key is still valid and of the same account: a deleted key ends its feeds. */
async function isStillCaller(
  edge: Edge,
  { headers }: FastifyRequest,
  { accountId }: Caller,
): Promise<boolean> {
  return (await edge.authenticate(headers.authorization).caller)?.accountId === accountId;
}

/**
 * The input of the first page: the query with our page size, beginning after the last event that the client has
 * seen.
 */
function rawInputOf({ params, query, headers }: FastifyRequest) {
  const asked = Object.entries(Object(query)).filter(([name]) => name !== 'limit');
  const { after, ...others } = Object.fromEntries(asked);
  const start = startOf(headers['last-event-id'], after);
  const limit = String(pageSize);
  return {
    params,
    body: undefined,
    query: { ...others, limit, ...(start !== undefined && { after: start }) },
  };
}
