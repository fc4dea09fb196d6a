import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { wasMade } from './failed-calls.ts';

/** An event of a campaign or of a lead. */
export type RecordedOutreachEvent = RecordedEvent & (CampaignEvent | LeadEvent);

/** Why a lead was given back, and when; `until` is null where it waits for nothing but the campaign's rest. */
interface HoldUp {
  readonly reason: string;
  readonly until: string | null;
  readonly at: string;
}

/** What a batch tells of what holds campaigns up: the reason for the last withdrawal; null once that is over. */
export function holdUpsByCampaign(
  events: readonly RecordedOutreachEvent[],
): ReadonlyMap<number, HoldUp | null> {
  const newest = new Map<number, HoldUp | null>();
  for (const { type, data, streamId, recordedAt: at } of events) {
    if (type === 'LeadAttemptStarted' || (type === 'LeadAttemptEnded' && wasMade(data)))
      newest.set(data.campaign_id, null);
    if (type === 'CampaignStarted' || type === 'CampaignStopped')
      newest.set(Number(streamId.slice('campaign-'.length)), null);
    if (type === 'LeadAttemptWithdrawn') {
      const { campaign_id, due_at, reason } = data;
      const isLater = Date.parse(due_at) > Date.parse(data.at);
      newest.set(campaign_id, { reason, until: isLater ? due_at : null, at });
    }
  }
  return newest;
}
