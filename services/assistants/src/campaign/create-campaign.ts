import { type CampaignEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Campaign, campaign } from './campaign.ts';
import { faultsOf, settingsOf, type WantedCampaign } from './campaign-settings.ts';
import { toItem } from './item.ts';

/** `id` is a new one, which no other campaign ever has. */
export interface CreateCampaign extends WantedCampaign {
  readonly now: Date;
}

/** The answer of commands that create, change, start or stop a campaign. */
export interface CampaignAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/**
 * Creates a campaign, which is stopped at first. `invalid`, with faults by field, when something that its channel needs
 * is missing or cannot be used.
 */
export function createCampaign(
  state: Campaign,
  command: CreateCampaign,
): Decision<CampaignEvent, CampaignAnswer> | Rejection {
  if (state) throw new Error(`Campaign ${command.id} was given out twice.`);
  const fields = faultsOf(command);
  if (Object.keys(fields).length > 0) return reject('invalid', { fields });
  const created: CampaignEvent = {
    type: 'CampaignCreated',
    data: { ...settingsOf(command), created_at: command.now.toISOString() },
  };
  const after = campaign.evolve(null, created);
  if (!after) throw new Error('A created campaign is there.');
  return {
    events: [created],
    reply: { message: 'Campaign created successfully', data: toItem(after, { leadsCount: 0, heldUp: null }) },
  };
}
