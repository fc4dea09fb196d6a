import { BalanceToppedUp, type CampaignEvent } from '@parley/contracts';
import type { Aggregates, Clock, SqlExecutor } from '@parley/event-store';
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

/**
 * Reactor: an account that is topped up has its campaigns go on that wait for money, as if it had started them anew.
 */
export const goOnWhenToppedUp = ({ aggregates, clock, sql, source }: Parts): Reactor =>
  defineReactor({
    name: 'campaign-top-ups',
    handles: [BalanceToppedUp.type],
    source,
    laneOf: byAccount,
    async react({ accountId }, { effectId, metadata }) {
      if (accountId === null) return undefined;
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
