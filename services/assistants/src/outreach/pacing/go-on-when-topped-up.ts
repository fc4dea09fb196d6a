import { BalanceAdjusted, BalanceToppedUp, type CampaignEvent } from '@parley/contracts';
import type { Aggregates, Clock, RecordedEvent, SqlExecutor } from '@parley/event-store';
import { byAccount, defineReactor, type EventSource, type Reactor } from '@parley/processing';
import { type Campaign, campaign, campaignCategory, campaignStream } from '../../campaign/campaign.ts';
import { updateCampaignStatus } from '../../campaign/update-campaign-status.ts';
import { campaignsWithoutMoney } from '../../views/campaigns/campaigns-without-money.ts';

interface Parts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  readonly sql: SqlExecutor;
  /** The log of `accounts`. */
  readonly source: EventSource;
}

const nothing = { events: [], reply: {} };

/** Whether the account has more money than before: it was topped up, or an operator set its balance higher. */
const isMore = ({ type, data }: RecordedEvent): boolean =>
  type === BalanceToppedUp.type || BalanceAdjusted.data.parse(data).amount_micros > 0;

/**
 * Reactor: an account that gets money has its campaigns go on that wait for it, as if it had started them anew.
 */
export const goOnWhenToppedUp = ({ aggregates, clock, sql, source }: Parts): Reactor =>
  defineReactor({
    name: 'campaign-top-ups',
    handles: [BalanceToppedUp.type, BalanceAdjusted.type],
    source,
    laneOf: byAccount,
    async react(event, { effectId, metadata }) {
      const { accountId } = event;
      if (accountId === null || !isMore(event)) return undefined;
      for (const id of await campaignsWithoutMoney(sql, accountId)) {
        const now = await clock.now();
        const { correlationId } = metadata;
        const anew = { action: 'start', now, leadsCount: 0, isHeldUp: true, correlationId } as const;
        await aggregates.execute<Campaign, CampaignEvent, object>({
          streamId: campaignStream(id),
          category: campaignCategory,
          accountId,
          fold: campaign,
          metadata,
          command: { commandId: effectId(String(id)), fingerprint: null },
          // One that was stopped meanwhile stays so.
          decide: (state) => (state?.isRunning ? updateCampaignStatus(state, anew) : nothing),
        });
      }
      return undefined;
    },
  });
