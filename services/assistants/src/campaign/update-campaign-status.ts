import { type CampaignEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { paceTimer, paceTimerId } from '../outreach/pacing/pace-timer.ts';
import { type Campaign, campaign, living } from './campaign.ts';
import type { CampaignAnswer } from './create-campaign.ts';
import { toItem } from './item.ts';

export interface UpdateCampaignStatus {
  readonly action: 'start' | 'stop';
  readonly now: Date;
  readonly leadsCount: number;
  /** Whether something holds its attempts up at present. */
  readonly isHeldUp: boolean;
  /** Correlation id of the request: all that the campaign does from now on belongs to its trace. */
  readonly correlationId: string;
}

/**
 * Starts or stops a campaign. Its timer comes and goes in the same transaction, so that no lead is queued once it is
 * stopped. Starting what runs, or stopping what does not, succeeds without an event; only a campaign that is held up is
 * started anew, and looks at once.
 */
export function updateCampaignStatus(
  state: Campaign,
  { action, now, leadsCount, isHeldUp, correlationId }: UpdateCampaignStatus,
): Decision<CampaignEvent, CampaignAnswer> | Rejection {
  const present = living(state);
  if (!present) return reject('not_found');
  const { id } = present.settings;
  const isStart = action === 'start';
  const events: CampaignEvent[] =
    present.isRunning === isStart && !(isStart && isHeldUp)
      ? []
      : [{ type: isStart ? 'CampaignStarted' : 'CampaignStopped', data: { at: now.toISOString() } }];
  const after = events.reduce(campaign.evolve, present) ?? present;
  const timers = isStart ? { timers: [paceTimer(id, correlationId)] } : { cancelTimers: [paceTimerId(id)] };
  return {
    events,
    ...(events.length > 0 ? timers : {}),
    reply: {
      message: isStart ? 'Campaign started successfully' : 'Campaign stopped successfully',
      // One that is stopped, or was started just now, is held up by nothing.
      data: toItem(after, { leadsCount, heldUp: null }),
    },
  };
}
