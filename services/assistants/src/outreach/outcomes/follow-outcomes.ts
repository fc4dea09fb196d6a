import type { LeadEvent } from '@parley/contracts';
import type { Aggregates, Clock, RecordedEvent } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { type CampaignSettings, campaign, campaignStream } from '../../campaign/campaign.ts';
import { type LiveLead, lead, leadCategory, leadStream } from '../../lead/lead.ts';

export interface FollowParts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  /** The log of the service that reaches out. */
  readonly source: EventSource;
}

/** What an event tells of a lead. */
export interface Told {
  readonly leadId: number;
  /** The events that follow for the lead; none when it is no news. */
  readonly of: (state: LiveLead, settings: CampaignSettings, now: Date) => LeadEvent[];
}

interface Outcomes {
  readonly name: string;
  readonly handles: readonly string[];
  /** Null for events that are no news of any lead. */
  readonly read: (event: RecordedEvent) => Told | null | Promise<Told | null>;
}

/**
 * Reactor: what came of reaching out, as the channel's service tells it, decides how the campaign goes on with its
 * lead.
 */
export const followOutcomes = (
  { name, handles, read }: Outcomes,
  { aggregates, clock, source }: FollowParts,
): Reactor =>
  defineReactor({
    name,
    source,
    handles,
    laneOf: byAccount,
    async react(event, { metadata }) {
      const told = await read(event);
      if (!told) return undefined;
      const { state, version, accountId } = await aggregates.load(leadStream(told.leadId), lead);
      if (!state || accountId !== event.accountId) return undefined;
      const owning = await aggregates.load(campaignStream(state.campaignId), campaign);
      if (!owning.state) return undefined;
      return {
        streamId: leadStream(state.id),
        category: leadCategory,
        accountId,
        // Appended without events, too, which records that this was handled: told again, it might seem to be about a
        // later attempt.
        events: told.of(state, owning.state.settings, await clock.now()),
        expectedVersion: version,
        metadata,
      };
    },
  });
