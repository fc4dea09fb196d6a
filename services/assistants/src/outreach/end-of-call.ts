import type { CallEndedEvent, LeadEvent } from '@parley/contracts';
import type { CampaignSettings } from '../campaign/campaign.ts';
import { type Lead, lead } from '../lead/lead.ts';
import { type Outcome, whatComesNext } from './what-comes-next.ts';

type Ended = CallEndedEvent['data'];

const outcomes = {
  completed: 'completed',
  no_answer: 'no_answer',
  busy: 'no_answer',
  failed: 'failed',
} as const satisfies Record<Ended['status'], Outcome>;

/** What a call that is over comes to for its lead; nothing when the campaign has gone on without it. */
export function endOfCall(
  state: NonNullable<Lead>,
  call: Ended,
  { retries }: CampaignSettings,
  now: Date,
): LeadEvent[] {
  const at = now.toISOString();
  const started = startUnheardOf(state, call, at);
  const after = started.reduce(lead.evolve, state);
  if (after?.attempt?.reference !== String(call.call_id)) return [];
  const { number, contactId } = after.attempt;
  const outcome = outcomes[call.status];
  const ended: LeadEvent = {
    type: 'LeadAttemptEnded',
    data: {
      campaign_id: after.campaignId,
      attempt: number,
      contact_id: contactId,
      outcome,
      reason: call.status === 'busy' ? 'The line was busy.' : null,
      next: whatComesNext(after, outcome, retries, now),
      at,
    },
  };
  return [...started, ended];
}

/** Its attempt was given back, or the answer to its command is not on record yet: this is how it is heard that it was placed. */
function startUnheardOf(
  { campaignId: campaign_id, attempt, withdrawn }: NonNullable<Lead>,
  { call_id }: Ended,
  at: string,
): LeadEvent[] {
  const unheardOf = withdrawn ?? (attempt?.reference === null ? attempt : null);
  if (!unheardOf) return [];
  const { number, contactId: contact_id } = unheardOf;
  const data = { campaign_id, attempt: number, contact_id, at, reference: String(call_id) };
  return [{ type: 'LeadAttemptStarted', data }];
}
