import {
  type CsvUpload,
  type InternalMessage,
  type OperationDefinition,
  type Rejection,
  reject,
  subjectOf,
} from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerRejection, answerThrown } from '../edge/answer.ts';
import type { Caller } from '../edge/caller/caller.ts';
import type { Edge } from '../edge/edge.ts';
import { timeLeftOf } from '../edge/request/time-left.ts';
import { forwardCsv } from '../upload/forward-csv.ts';
import { SpooledFile } from '../upload/spool.ts';
import { identityOf } from './command-identity.ts';
import { contextOf } from './context-of-request.ts';
import { isFor } from './early-query.ts';
import type { CommandIdentity } from './idempotency.ts';
import { atOneOf, expectedVersionsOf } from './if-match.ts';
import { passAnswer } from './pass-answer.ts';
import type { OperationLimits } from './rate-limits.ts';
import { validateInput } from './validate-input.ts';

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
/** Sends a query for the caller who is probably behind the key, before the key is looked up. */
export type AskEarly = (request: FastifyRequest, guess: Caller) => void;

interface OperationHandler {
  readonly handler: Handler;
  /**
   * `null` where nothing may begin before the caller is known: for commands, operations with rate limits, and
   * feeds.
   */
  readonly askEarly: AskEarly | null;
}

const anyQuery: CommandIdentity = { commandId: '', fingerprint: null };

/**
 * Handles the requests of one operation: validate the input, identify the command, take the rate limits, ask the
 * service, pass its answer on unchanged.
 */
export function createOperationHandler(
  operation: OperationDefinition,
  edge: Edge,
  limits: OperationLimits | null,
): OperationHandler {
  const isCommand = operation.kind === 'command';
  const isVersioned = isCommand && operation.method !== 'POST';
  const { name } = operation;

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<Rejection | null> {
    const { caller } = request;
    if (!caller) return reject('unauthorized');
    const leave = edge.waiting.enter(operation.service, caller.accountId);
    if (!leave) return reject('unavailable');
    try {
      return await handleFor(caller, request, reply);
    } finally {
      leave();
    }
  }

  async function handleFor(
    caller: Caller,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Rejection | null> {
    request.endsAtMs = performance.now() + edge.handlerTimeoutMs - request.lookupMs;
    if (request.early && isFor(request.early, caller))
      return passAnswer(edge, request, reply, await edge.waiting.during(request.early.answer), {
        operation,
        caller,
        identity: anyQuery,
      });
    const input = validateInput(operation, request);
    if (!input.isValid) return input.rejection;
    const identity = isCommand ? identityOf(request, name, caller.accountId) : anyQuery;
    if ('code' in identity) return identity;
    const versions = expectedVersionsOf(isVersioned ? request.headers['if-match'] : undefined);
    if ('code' in versions) return versions;
    const busy = edge.running.start(identity);
    if (busy) return busy;
    try {
      const refused = await limits?.take(request, caller, reply);
      if (refused) return refused;
      const contextAt = (version: number | null) => contextFor(request, caller, identity, version);
      const asked =
        request.body instanceof SpooledFile && operation.csv
          ? forward(request, request.body, operation.csv, input.value, contextAt(null))
          : atOneOf(versions, (version) =>
              ask(operation, input.value, contextAt(version), timeLeftOf(request)),
            );
      const answered = await edge.waiting.during(asked);
      if (answered.kind === 'ok') edge.running.answered(identity);
      return passAnswer(edge, request, reply, answered, { operation, caller, identity });
    } finally {
      edge.running.end(identity);
    }
  }

  function askEarly(request: FastifyRequest, guess: Caller): void {
    const input = validateInput(operation, request);
    if (!input.isValid) return;
    const context = contextFor(request, guess, anyQuery, null);
    const answer = ask(operation, input.value, context, edge.handlerTimeoutMs);
    // A failure reaches whoever awaits the answer; when the key turns out to be invalid, nobody does.
    answer.catch(() => undefined);
    request.early = { askedFor: guess, answer };
  }

  const contextFor = (
    request: FastifyRequest,
    caller: Caller,
    identity: CommandIdentity,
    expectedVersion: number | null,
  ): MessageContext =>
    contextOf(request, caller, {
      commandId: isCommand ? identity.commandId : null,
      fingerprint: identity.fingerprint,
      expectedVersion,
      timeoutMs: edge.handlerTimeoutMs,
    });

  const ask = (
    message: OperationDefinition | InternalMessage,
    payload: object,
    context: MessageContext,
    timeoutMs: number,
  ): Promise<BusReply> =>
    edge.ask(
      { service: message.service, subject: subjectOf(message), payload: JSON.stringify(payload), context },
      timeoutMs,
    );

  /**
   * Forwards a file to the service. That may take longer than one answer may, so the connection's idle timeout is
   * switched off; each chunk has its own.
   */
  function forward(
    request: FastifyRequest,
    file: SpooledFile,
    csv: CsvUpload,
    input: object,
    context: MessageContext,
  ): Promise<BusReply> {
    request.raw.socket.setTimeout(0);
    return forwardCsv({
      operation,
      csv,
      file,
      input,
      context,
      ask: (message, payload, its) => ask(message, payload, its, edge.handlerTimeoutMs),
    });
  }

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      const rejection = await handle(request, reply);
      if (rejection) answerRejection(edge, request, reply, rejection);
    } catch (error) {
      answerThrown(edge, request, reply, error);
    } finally {
      if (request.body instanceof SpooledFile) await request.body.close();
    }
  }

  return { handler, askEarly: isCommand || limits || operation.isFeed ? null : askEarly };
}
