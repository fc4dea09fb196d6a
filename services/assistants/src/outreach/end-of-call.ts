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
  const started = startOfWithdrawn(state, call, at);
  const after = started.reduce(lead.evolve, state);
  if (!after?.attempt) return [];
  const { number, contactId, reference } = after.attempt;
  // The call may be over before the answer to its command is on record.
  if (reference !== null && reference !== String(call.call_id)) return [];
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

/** The attempt was given back before anybody heard that the call was placed: this is how it is heard. */
const startOfWithdrawn = (
  { campaignId: campaign_id, withdrawn }: NonNullable<Lead>,
  { call_id }: Ended,
  at: string,
): LeadEvent[] =>
  withdrawn
    ? [
        {
          type: 'LeadAttemptStarted',
          data: {
            campaign_id,
            attempt: withdrawn.number,
            contact_id: withdrawn.contactId,
            at,
            reference: String(call_id),
          },
        },
      ]
    : [];
