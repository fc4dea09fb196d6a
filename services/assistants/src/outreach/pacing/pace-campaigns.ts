import type { LeadEvent } from '@parley/contracts';
import type { Aggregates, AppendRequest, SqlExecutor, TimerRequest } from '@parley/event-store';
import type { DueTimer, TimerContext, TimerHandler } from '@parley/processing';
import { z } from 'zod';
import { campaign, campaignStream } from '../../campaign/campaign.ts';
import { lead, leadCategory, leadStream } from '../../lead/lead.ts';
import { droppedRetry } from '../attempt/what-comes-next.ts';
import { beginningInTrace, isTurnIn } from './beginning-in-trace.ts';
import { chainDepthOfLead, tellsDepth } from './chain-of-lead.ts';
import { endsOfStream } from './ends-of-stream.ts';
import { mayBeOver, nextStep, paceMs, type Queue } from './pace.ts';
import { paceTimer, setPaceTimer } from './pace-timer.ts';
import { queueOfCampaign } from './queue-of-campaign.ts';

const payload = z.object({ campaign_id: z.int() });

/**
 * Handles a running campaign's timer: queues the next lead, if its turn has come, or drops its retry, if fewer are wanted
 * by now, and sets the timer again in the same append. Stopping the campaign cancels the timer, so that append is refused once the campaign is stopped.
 */
export const paceCampaigns =
  (aggregates: Aggregates, sql: SqlExecutor): TimerHandler =>
  async (timer: DueTimer, { metadata, store }: TimerContext): Promise<AppendRequest | undefined> => {
    const { campaign_id: campaignId } = payload.parse(timer.payload);
    const {
      state,
      accountId,
      version: campaignVersion,
    } = await aggregates.load(campaignStream(campaignId), campaign);
    if (!state?.isRunning || state.startedAt === null) return undefined;
    const { settings, startedAt } = state;
    const lookAgain = (due: TimerRequest['due']): AppendRequest =>
      setPaceTimer({ campaignId, accountId, metadata, due });
    const queue = await queueOfCampaign(sql, campaignId);
    // The view lags behind, as after an import.
    if (!queue) return lookAgain({ afterMs: paceMs });
    const isOver = mayBeOver(settings.channel, queue, new Date(startedAt));
    const step = nextStep(settings, isOver ? await withoutHoldUp(aggregates, queue) : queue);
    const chosen = step.kind === 'queue' ? await aggregates.load(leadStream(step.leadId), lead) : undefined;
    if (!chosen?.state?.next)
      return lookAgain(step.kind === 'wait' ? { at: step.until.toISOString() } : { afterMs: paceMs });
    const dropped = droppedRetry(chosen.state, settings.retries, queue.now);
    const queued: LeadEvent = {
      type: 'LeadQueued',
      data: {
        campaign_id: campaignId,
        attempt: chosen.state.withdrawn?.number ?? chosen.state.attempts + 1,
        contact_id: chosen.state.next.contactId,
        channel: settings.channel,
        at: queue.now.toISOString(),
      },
    };
    const streamId = leadStream(chosen.state.id);
    const { correlationId } = metadata;
    const [ofLead, ofCampaign] = await Promise.all([
      endsOfStream(store, streamId, chosen.version, tellsDepth),
      endsOfStream(store, campaignStream(campaignId), campaignVersion, isTurnIn(correlationId)),
    ]);
    const beginning = beginningInTrace(correlationId, [...ofLead, ...ofCampaign]);
    return {
      streamId,
      category: leadCategory,
      accountId,
      events: [dropped ?? queued],
      expectedVersion: chosen.version,
      metadata: {
        ...metadata,
        causationId: beginning ?? metadata.causationId,
        chainDepth: chainDepthOfLead(ofLead),
      },
      timers: [paceTimer(campaignId, correlationId, { afterMs: paceMs })],
    };
  };

/** The queue of a campaign that nothing holds up any more: also a first lead that was given back until later is due. */
async function withoutHoldUp(aggregates: Aggregates, queue: Queue): Promise<Queue> {
  const { next, now } = queue;
  const first = next && (await aggregates.load(leadStream(next.leadId), lead)).state;
  return {
    ...queue,
    lastWithdrawn: null,
    next: next && first?.next?.isHeldUp ? { ...next, dueAt: now } : next,
  };
}
