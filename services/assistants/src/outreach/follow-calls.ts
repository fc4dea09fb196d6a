import { CallEnded, CallNotPlaced, type LeadEvent } from '@parley/contracts';
import type { Aggregates, Clock, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { type CampaignSettings, campaign, campaignStream } from '../campaign/campaign.ts';
import { type LiveLead, lead, leadCategory, leadStream } from '../lead/lead.ts';
import { callPutOff, endOfCall } from './end-of-call.ts';

export interface FollowParts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  /** Telephony's log. */
  readonly source: EventSource;
}

/** What came of a call decides how the campaign goes on with its lead. */
export const followCalls = ({ aggregates, clock, source }: FollowParts): Reactor =>
  defineReactor({
    name: 'campaign-call-outcomes',
    source,
    handles: [CallNotPlaced.type, CallEnded.type],
    laneOf: byAccount,
    async react(event, { metadata }) {
      const told = read(event);
      if (!told) return undefined;
      const { state, version, accountId } = await aggregates.load(leadStream(told.leadId), lead);
      if (!state || accountId !== event.accountId) return undefined;
      const owning = await aggregates.load(campaignStream(state.campaignId), campaign);
      if (!owning.state) return undefined;
      return {
        streamId: leadStream(state.id),
        category: leadCategory,
        accountId,
        // None is noted, too: the same told again may look as if it were about an attempt that was made meanwhile.
        events: told.of(state, owning.state.settings, await clock.now()),
        expectedVersion: version,
        metadata,
      };
    },
  });

interface Told {
  readonly leadId: number;
  /** What it comes to for the lead. */
  readonly of: (state: LiveLead, settings: CampaignSettings, now: Date) => LeadEvent[];
}

/** `null` for calls of no campaign. A call that is put off ends as well, which is no news then. */
function read({ type, data, metadata }: RecordedEvent): Told | null {
  if (type === CallNotPlaced.type) {
    const call = { ...CallNotPlaced.data.parse(data), command_id: metadata.commandId };
    if (call.lead_id === null || !call.may_pass_later) return null;
    return { leadId: call.lead_id, of: (state, _, now) => callPutOff(state, call, now) };
  }
  const call = CallEnded.data.parse(data);
  if (call.lead_id === null) return null;
  return { leadId: call.lead_id, of: (state, settings, now) => endOfCall(state, call, settings, now) };
}
