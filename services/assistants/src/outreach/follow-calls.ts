import { CallEnded } from '@parley/contracts';
import type { Aggregates, Clock } from '@parley/event-store';
import { defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { campaign, campaignStream } from '../campaign/campaign.ts';
import { lead, leadStream } from '../lead/lead.ts';
import { endOfCall } from './end-of-call.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  /** Telephony's log. */
  readonly source: EventSource;
}

/** What came of a call decides how the campaign goes on with its lead. */
export const followCalls = ({ aggregates, clock, source }: Parts): Reactor =>
  defineReactor({
    name: 'campaign-call-outcomes',
    source,
    handles: [CallEnded.type],
    async react(event, { metadata }) {
      const call = CallEnded.data.parse(event.data);
      if (call.lead_id === null) return undefined;
      const { state, version, accountId } = await aggregates.load(leadStream(call.lead_id), lead);
      if (!state || accountId !== event.accountId) return undefined;
      const owning = await aggregates.load(campaignStream(state.campaignId), campaign);
      if (!owning.state) return undefined;
      const events = endOfCall(state, call, owning.state.settings, await clock.now());
      if (events.length === 0) return undefined;
      return {
        streamId: leadStream(state.id),
        category: 'lead',
        accountId,
        events,
        expectedVersion: version,
        metadata,
      };
    },
  });
