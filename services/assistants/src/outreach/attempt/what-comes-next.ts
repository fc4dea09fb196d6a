import type { LeadAttemptEnded } from '@parley/contracts';
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
  const isErased = (id: number | null): boolean => isStandIn(numberOf(lead, id));
  if (outcome === 'no_answer' && lead.tried.times < max_attempts && !isErased(contactId))
    return { contact_id: contactId, due_at: new Date(now.getTime() + delay_minutes * 60_000).toISOString() };
  const everybody = [null, ...lead.contacts.map(({ id }) => id)];
  const isLeft = (id: number | null): boolean => !lead.triedLines.includes(lineOf(numberOf(lead, id)));
  const following = everybody.find((id) => isLeft(id) && !isErased(id));
  return following === undefined ? null : { contact_id: following, due_at: now.toISOString() };
}
