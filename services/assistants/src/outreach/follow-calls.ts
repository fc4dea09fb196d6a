import { CallEnded, type LeadEvent } from '@parley/contracts';
import type { Aggregates, Clock } from '@parley/event-store';
import { defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { campaign, campaignStream } from '../campaign/campaign.ts';
import { lead, leadStream } from '../lead/lead.ts';
import { type Outcome, whatComesNext } from './what-comes-next.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  /** Telephony's log. */
  readonly source: EventSource;
}

const outcomes = {
  completed: 'completed',
  no_answer: 'no_answer',
  busy: 'no_answer',
  failed: 'failed',
} as const satisfies Record<string, Outcome>;

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
      if (!state?.attempt || accountId !== event.accountId) return undefined;
      const { number, contactId, reference } = state.attempt;
      // The call may be over before the answer to its command is on record.
      if (reference !== null && reference !== String(call.call_id)) return undefined;
      const owning = await aggregates.load(campaignStream(state.campaignId), campaign);
      if (!owning.state) return undefined;
      const now = await clock.now();
      const outcome = outcomes[call.status];
      const ended: LeadEvent = {
        type: 'LeadAttemptEnded',
        data: {
          campaign_id: state.campaignId,
          attempt: number,
          contact_id: contactId,
          outcome,
          reason: call.status === 'busy' ? 'The line was busy.' : null,
          next: whatComesNext(state, outcome, owning.state.settings.retries, now),
          at: now.toISOString(),
        },
      };
      return {
        streamId: leadStream(state.id),
        category: 'lead',
        accountId,
        events: [ended],
        expectedVersion: version,
        metadata,
      };
    },
  });
