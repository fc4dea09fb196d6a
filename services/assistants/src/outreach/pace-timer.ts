import type { TimerRequest } from '@parley/event-store';

/** The kind of the one timer that each running campaign has: when it looks for the next lead to reach out to. */
export const paceTimerKind = 'pace-campaign';

export const paceTimerId = (campaignId: number): string => `${paceTimerKind}:${campaignId}`;

/** Due at once unless told otherwise; what it leads to belongs to the correlation. */
export const paceTimer = (
  campaignId: number,
  correlationId: string,
  due: TimerRequest['due'] = { afterMs: 0 },
): TimerRequest => ({
  id: paceTimerId(campaignId),
  kind: paceTimerKind,
  due,
  payload: { campaign_id: campaignId, correlation_id: correlationId },
});
