import { isDeepStrictEqual } from 'node:util';
import {
  type CampaignEvent,
  invalidField,
  type OperationInput,
  type Rejection,
  reject,
  type updateCampaign as updateCampaignOperation,
} from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { paceTimer } from '../outreach/pacing/pace-timer.ts';
import { type Campaign, type CampaignSettings, campaign, living } from './campaign.ts';
import type { CampaignReferences } from './campaign-lookups.ts';
import { faultsOf, settingsOf, type WantedCampaign } from './campaign-settings.ts';
import type { CampaignAnswer } from './create-campaign.ts';
import { type CampaignStanding, toItem } from './item.ts';

/** Only what is given is changed; `null` restores the default. */
export type CampaignChange = Omit<OperationInput<typeof updateCampaignOperation>, 'id'>;

export interface UpdateCampaign extends CampaignStanding {
  readonly change: CampaignChange;
  /** What `wantedCampaign` refers to. */
  readonly found: CampaignReferences;
  readonly now: Date;
  /** Correlation id of the request: what a running campaign does from now on belongs to its trace. */
  readonly correlationId: string;
}

type Wanted = Omit<WantedCampaign, keyof CampaignReferences>;

/** The campaign as it would be, before defaults are filled in. */
export function wantedCampaign(
  settings: CampaignSettings,
  { channel: _, ...change }: CampaignChange,
): Wanted {
  const sent = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(sent) };
}

/**
 * Succeeds without an event when nothing would change. What a campaign refers to is checked when it is changed, so that
 * an assistant that was deleted does not get an unrelated change refused. A running campaign looks for its next lead
 * anew, in the same transaction; where it is held up and reaches out otherwise from now on, it is started anew.
 */
export function updateCampaign(
  state: Campaign,
  { change, found, now, leadsCount, heldUp, correlationId }: UpdateCampaign,
): Decision<CampaignEvent, CampaignAnswer> | Rejection {
  const present = living(state);
  if (!present) return reject('not_found');
  const { settings, isRunning } = present;
  if (change.channel !== undefined && change.channel !== settings.channel)
    return invalidField('channel', 'The channel cannot be changed.');
  const wanted = { ...wantedCampaign(settings, change), ...found };
  const hasItsAssistant = settings.assistant_id !== null && wanted.assistant_id === settings.assistant_id;
  const fields = hasItsAssistant ? {} : faultsOf(wanted);
  if (Object.keys(fields).length > 0) return reject('invalid', { fields });
  const at = now.toISOString();
  const { name, ...after } = settingsOf(wanted);
  const changed = Object.fromEntries(
    Object.entries(after).filter(
      ([field, value]) => !isDeepStrictEqual(value, settings[field as keyof CampaignSettings]),
    ),
  );
  const isChanged = Object.keys(changed).length > 0;
  const isFreed = isRunning && heldUp !== null && meansOfReaching.some((field) => field in changed);
  const events: CampaignEvent[] = [];
  if (name !== settings.name) events.push({ type: 'CampaignRenamed', data: { name, at } });
  if (isChanged) events.push({ type: 'CampaignSettingsChanged', data: { changed, at } });
  if (isFreed) events.push({ type: 'CampaignStarted', data: { at } });
  return {
    events,
    ...(isRunning && isChanged && { timers: [paceTimer(settings.id, correlationId)] }),
    reply: {
      message: 'Campaign updated successfully',
      data: toItem(events.reduce(campaign.evolve, present) ?? present, {
        leadsCount,
        heldUp: isFreed ? null : heldUp,
      }),
    },
  };
}

/** What may be the cause when a campaign's attempts are refused; when and how often it reaches out is not. */
const meansOfReaching = ['assistant_id', 'sender_id', 'template_id', 'body', 'variable_mapping'];
