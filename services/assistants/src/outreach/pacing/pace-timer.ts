import { CampaignStarted } from '@parley/contracts';
import type { Aggregates, AppendRequest, EventMetadata, TimerRequest } from '@parley/event-store';
import type { StandingTimers } from '@parley/service-kit';
import { campaign, campaignCategory, campaignStream } from '../../campaign/campaign.ts';

/** The kind of the one timer of each running campaign, which is due when the campaign looks for its next lead. */
export const paceTimerKind = 'pace-campaign';

/** Id of that timer. */
export const paceTimerId = (campaignId: number): string => `${paceTimerKind}:${campaignId}`;

/** The timer, due at once unless told otherwise; what it leads to belongs to the trace of `correlationId`. */
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

interface Pacing {
  readonly campaignId: number;
  readonly accountId: number | null;
  readonly metadata: EventMetadata;
  readonly due?: TimerRequest['due'];
}

/** An append that sets the timer and has no events; due at once unless told otherwise. */
export const setPaceTimer = ({ campaignId, accountId, metadata, due }: Pacing): AppendRequest => ({
  streamId: campaignStream(campaignId),
  category: campaignCategory,
  accountId,
  events: [],
  expectedVersion: 'any',
  metadata,
  timers: [paceTimer(campaignId, metadata.correlationId, due)],
});

/** After an import: each running campaign gets its timer again, in the trace of the request that started it last. */
export const paceTimers = (aggregates: Aggregates): StandingTimers => ({
  types: [CampaignStarted.type],
  async of({ metadata: { correlationId }, streamId }) {
    const { state } = await aggregates.load(streamId, campaign);
    return state?.isRunning ? [paceTimer(state.settings.id, correlationId)] : [];
  },
});
