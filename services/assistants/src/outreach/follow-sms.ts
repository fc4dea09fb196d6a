import { SmsUndeliverable } from '@parley/contracts';
import { byAccount, defineReactor, type Reactor } from '@parley/processing';
import { campaign, campaignStream } from '../campaign/campaign.ts';
import { lead, leadCategory, leadStream } from '../lead/lead.ts';
import type { FollowParts } from './follow-calls.ts';
import { smsUnsent } from './unsent-sms.ts';

/** A lead whose SMS its carrier took and did not send is reached out to again. */
export const followSms = ({ aggregates, clock, source }: FollowParts): Reactor =>
  defineReactor({
    name: 'campaign-sms-outcomes',
    source,
    handles: [SmsUndeliverable.type],
    laneOf: byAccount,
    async react(event, { metadata }) {
      const told = SmsUndeliverable.data.parse(event.data);
      if (told.lead_id === null) return undefined;
      const { state, version, accountId } = await aggregates.load(leadStream(told.lead_id), lead);
      if (!state || accountId !== event.accountId) return undefined;
      const owning = await aggregates.load(campaignStream(state.campaignId), campaign);
      if (!owning.state) return undefined;
      return {
        streamId: leadStream(state.id),
        category: leadCategory,
        accountId,
        events: smsUnsent(state, told, owning.state.settings, await clock.now()),
        expectedVersion: version,
        metadata,
      };
    },
  });
