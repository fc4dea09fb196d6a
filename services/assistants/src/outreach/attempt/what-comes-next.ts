import type { LeadAttemptEnded, LeadEvent } from '@parley/contracts';
import { isStandIn } from '@parley/service-kit';
import type { z } from 'zod';
import type { CampaignSettings } from '../../campaign/campaign.ts';
import { type LiveLead, numberOf } from '../../lead/lead.ts';
import { lineOf } from '../../lead/phone-number.ts';

type Ended = z.output<typeof LeadAttemptEnded.data>;
/** How an attempt ended: somebody was reached, nobody answered, or it failed. */
export type Outcome = Ended['outcome'];

/**
 * Whom the campaign reaches out to after an attempt, and when; null for nobody. After no answer: the same one again, as
 * often as the settings say. After that, or when it failed: the first whose line was not tried yet, which is the lead
 * itself where it got another number meanwhile, else a contact. When one was reached: nobody. An attempt at a number
 * that the lead no longer has says nothing of its present one. Whoever was erased has no number any more.
 */
export function whatComesNext(
  lead: LiveLead,
  outcome: Outcome,
  { max_attempts, delay_minutes }: CampaignSettings['retries'],
  now: Date,
): Ended['next'] {
  if (lead.attempt?.isOutdated) return { contact_id: null, due_at: now.toISOString() };
  if (outcome === 'completed') return null;
  const contactId = lead.attempt?.contactId ?? null;
  const isErased = isStandIn(numberOf(lead, contactId));
  if (outcome === 'no_answer' && lead.tried.times < max_attempts && !isErased)
    return { contact_id: contactId, due_at: new Date(now.getTime() + delay_minutes * 60_000).toISOString() };
  return nextUntried(lead, now);
}

/**
 * Drops a retry that is due where the campaign wants fewer attempts than when it was decided on: as after the last of
 * them, those follow who were not tried yet. Undefined where it is to be made: also one that may have been asked for,
 * for only asking again under its own number tells what came of it.
 */
export function droppedRetry(
  lead: LiveLead,
  { max_attempts }: CampaignSettings['retries'],
  now: Date,
): LeadEvent | undefined {
  const { next, tried, withdrawn, campaignId: campaign_id, attempts: attempt } = lead;
  if (withdrawn || next?.contactId !== tried.contactId || tried.times < max_attempts) return undefined;
  const about = { campaign_id, attempt, contact_id: tried.contactId, at: now.toISOString() };
  return { type: 'LeadRetryDropped', data: { ...about, next: nextUntried(lead, now) } };
}

/** The first whose line was not tried yet, of the lead and its contacts; whoever was erased has none. */
function nextUntried(lead: LiveLead, now: Date): Ended['next'] {
  const everybody = [null, ...lead.contacts.map(({ id }) => id)];
  const isLeft = (id: number | null): boolean => !lead.triedLines.includes(lineOf(numberOf(lead, id)));
  const following = everybody.find((id) => isLeft(id) && !isStandIn(numberOf(lead, id)));
  return following === undefined ? null : { contact_id: following, due_at: now.toISOString() };
}
