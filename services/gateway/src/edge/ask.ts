import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BusClient,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  ServiceUnavailable,
} from '@parley/message-bus';

/** Without an answer for so long, a copy of the service may have died with the request: another one is asked. */
const tryTimeoutMs = 4000;
const retryDelayMs = 100;

/**
 * Asks until there is an answer or `timeoutMs` are over, always with the same command id, so that a try whose answer was
 * lost is not executed again. Rejects with `ServiceUnavailable` when nothing was asked of anyone, with `RequestTimedOut`
 * when the outcome is still unknown at the deadline.
 */
export async function askUntilAnswered(
  bus: BusClient,
  request: BusRequest,
  timeoutMs: number,
): Promise<BusReply> {
  const deadline = performance.now() + timeoutMs;
  for (let isOutcomeUnknown = false; ; isOutcomeUnknown = true) {
    const leftMs = deadline - performance.now();
    try {
      const reply = await bus.request(withTimeout(request, Math.min(leftMs, tryTimeoutMs)));
      if (!(isOutcomeUnknown && isStillRunning(reply))) return reply;
    } catch (error) {
      const isUnknown =
        error instanceof RequestTimedOut || (isOutcomeUnknown && error instanceof ServiceUnavailable);
      if (!isUnknown) throw error;
    }
    if (deadline - performance.now() <= retryDelayMs)
      throw new RequestTimedOut(`${request.subject} gave no answer in ${timeoutMs} ms.`);
    await sleep(retryDelayMs);
  }
}

const isStillRunning = (reply: BusReply): boolean =>
  reply.kind === 'rejected' && reply.rejection.code === 'idempotency_in_progress';

const withTimeout = (request: BusRequest, timeoutMs: number): BusRequest => ({
  ...request,
  context: { ...request.context, timeoutMs: Math.max(1, Math.floor(timeoutMs)) },
});
