import type { LeadEvent } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { defineReactor, type Reactor } from '@parley/processing';
import { campaign, campaignStream } from '../campaign/campaign.ts';
import { paceTimer } from './pace-timer.ts';

type Waking = Extract<
  LeadEvent,
  { type: 'LeadCreated' | 'LeadDeleted' | 'LeadAttemptEnded' | 'LeadAttemptWithdrawn' }
>;
const handles: readonly Waking['type'][] = [
  'LeadCreated',
  'LeadDeleted',
  'LeadAttemptEnded',
  'LeadAttemptWithdrawn',
];

/** Beyond this what is remembered is forgotten: it only saves work. */
const maxRemembered = 10_000;

/**
 * A running campaign looks again when a lead came, or one has made room. A look covers every event before it, so a file
 * of leads costs its campaign one.
 */
export function wakeCampaigns(aggregates: Aggregates): Reactor {
  const settledUpTo = new Map<number, number>();
  return defineReactor({
    name: 'campaign-wake',
    handles,
    async react(event, { store, metadata }) {
      // `handles` leaves no other events.
      const { campaign_id: campaignId } = event.data as Waking['data'];
      if ((settledUpTo.get(campaignId) ?? 0) >= event.position) return undefined;
      const head = await store.head();
      const { state, accountId } = await aggregates.load(campaignStream(campaignId), campaign);
      // One that starts later looks by itself.
      if (state?.isRunning)
        await store.append({
          streamId: campaignStream(campaignId),
          category: 'campaign',
          accountId,
          events: [],
          expectedVersion: 'any',
          metadata,
          timers: [paceTimer(campaignId, metadata.correlationId)],
        });
      if (settledUpTo.size >= maxRemembered) settledUpTo.clear();
      settledUpTo.set(campaignId, head);
      return undefined;
    },
  });
}
