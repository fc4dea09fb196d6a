import { webhookKinds } from '@parley/contracts';
import type { TimerRequest } from '@parley/event-store';
import { z } from 'zod';

/** The kind of the timer of each delivery that is not settled. */
export const attemptTimerKind = 'webhook-attempt';

const payload = z.object({
  delivery_id: z.string(),
  account_id: z.int(),
  event: z.enum(webhookKinds),
  sequence: z.int(),
  url: z.string(),
  correlation_id: z.string(),
  /** The event that queued the webhook; null once it was asked for again. */
  causation_id: z.string().nullable().default(null),
});

/** A delivery to be looked after: everything that its next attempt needs in order to begin. */
export type AttemptJob = z.output<typeof payload>;

export const readAttemptJob = (timer: { readonly payload: unknown }): AttemptJob =>
  payload.parse(timer.payload);

export const attemptTimerId = (deliveryId: string): string => `${attemptTimerKind}:${deliveryId}`;

/**
 * The one timer of a delivery that is not settled. It is due when the next attempt is, or when somebody has to look
 * whether the present attempt still goes on.
 */
export const attemptTimer = (job: AttemptJob, due: TimerRequest['due']): TimerRequest => ({
  id: attemptTimerId(job.delivery_id),
  kind: attemptTimerKind,
  due,
  payload: job,
});
