import type { LeadEvent } from '@parley/contracts';
import type { Aggregates } from '@parley/event-store';
import { defineReactor, type Reactor } from '@parley/processing';
import { campaign, campaignStream } from '../../campaign/campaign.ts';
import { setPaceTimer } from './pace-timer.ts';

type Waking = Extract<
  LeadEvent,
  { type: 'LeadCreated' | 'LeadReopened' | 'LeadDeleted' | 'LeadAttemptEnded' | 'LeadAttemptWithdrawn' }
>;

/** How many campaigns are remembered before all are forgotten: remembering only saves work. */
const maxRemembered = 10_000;

/**
 * Has a running campaign look again when a lead came, or one has made room. A look covers every event before it, so a
 * file of leads costs its campaign one. The campaigns of a page of events are looked up together: most stand still.
 */
export function wakeCampaigns(aggregates: Aggregates): Reactor {
  /** By campaign: the position up to which its events need no look any more. */
  const settledUpTo = new Map<number, number>();
  const settle = (campaignId: number, position: number) => {
    if (settledUpTo.size >= maxRemembered) settledUpTo.clear();
    settledUpTo.set(campaignId, position);
  };
  return defineReactor<Waking>({
    name: 'campaign-wake',
    handles: ['LeadCreated', 'LeadReopened', 'LeadDeleted', 'LeadAttemptEnded', 'LeadAttemptWithdrawn'],
    async prepare(events) {
      const newest = events.at(-1)?.position ?? 0;
      const ask = async (id: number) => {
        const { state } = await aggregates.load(campaignStream(id), campaign);
        // A campaign that starts later looks by itself.
        if (!state?.isRunning) settle(id, newest);
      };
      await Promise.all([...new Set(events.map(({ data }) => data.campaign_id))].map(ask));
    },
    async react(event, { store, metadata }) {
      const campaignId = event.data.campaign_id;
      if ((settledUpTo.get(campaignId) ?? 0) >= event.position) return undefined;
      const head = await store.head();
      const { state, accountId } = await aggregates.load(campaignStream(campaignId), campaign);
      if (state?.isRunning) await store.append(setPaceTimer({ campaignId, accountId, metadata }));
      settle(campaignId, head);
      return undefined;
    },
  });
}
