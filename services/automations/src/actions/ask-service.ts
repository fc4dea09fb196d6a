import { type InternalMessage, type OperationDefinition, subjectOf, takeRateLimit } from '@parley/contracts';
import {
  type BusClient,
  type BusRejection,
  createAsk,
  inBackground,
  internalContext,
  RequestTimedOut,
  ServiceUnavailable,
} from '@parley/message-bus';
import { chainActor } from '../triggers/chain.ts';
import type { ActionContext } from './action.ts';

/** What a service of the platform answered. */
export type Answer =
  | { readonly kind: 'ok'; readonly body: unknown }
  | { readonly kind: 'rejected'; readonly rejection: BusRejection }
  /** No answer: the same command may be sent again. */
  | { readonly kind: 'silence'; readonly code: 'unavailable' | 'timeout' };

/**
 * Sends commands of a run to the platform's other services, in the name of its account. Effective once for the command
 * id, which is the step's effect key when none is given. What they cause stands in the trace of the run, below the
 * attempt of the step.
 */
export type AskService = (
  message: OperationDefinition | InternalMessage,
  input: object,
  context: ActionContext,
  commandId?: string,
) => Promise<Answer>;

/** How long an answer is waited for. */
const timeoutMs = 20_000;

export function createAskService(bus: BusClient): AskService {
  const ask = createAsk(bus, inBackground);
  return async (message, input, context, commandId = context.effectKey) => {
    const request = {
      service: message.service,
      subject: subjectOf(message),
      payload: JSON.stringify(input),
      context: internalContext({
        accountId: context.accountId,
        actor: chainActor(context),
        commandId: message.kind === 'command' ? commandId : null,
        correlationId: context.correlationId,
        causationId: context.causationId,
        chainDepth: context.chainDepth,
        timeoutMs,
      }),
    };
    try {
      const reply = await ask(request, timeoutMs);
      return reply.kind === 'ok' ? { kind: 'ok', body: JSON.parse(reply.body) } : reply;
    } catch (error) {
      if (error instanceof ServiceUnavailable) return { kind: 'silence', code: 'unavailable' };
      if (error instanceof RequestTimedOut) return { kind: 'silence', code: 'timeout' };
      throw error;
    }
  };
}

/**
 * Counts one request against the account's rate limits of an operation, as the account's own requests do. Returns the
 * seconds to wait, 0 when it may go on; or the answer where the limits could not be asked.
 */
export async function waitForRateLimit(
  ask: AskService,
  operation: OperationDefinition,
  context: ActionContext,
): Promise<number | Exclude<Answer, { kind: 'ok' }>> {
  const limits = operation.rateLimits?.map(({ name, max, windowMs }) => ({ name, max, window_ms: windowMs }));
  if (!limits) return 0;
  const answer = await ask(
    takeRateLimit,
    { account_id: context.accountId, operation: operation.name, limits, consume: true },
    context,
  );
  if (answer.kind !== 'ok') return answer;
  const standing = takeRateLimit.output.parse(answer.body);
  return standing.allowed ? 0 : Math.max(1, standing.retry_after);
}
