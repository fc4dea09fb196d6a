import type { CallEndedEvent, CallNotPlacedEvent, LeadEvent } from '@parley/contracts';
import type { CampaignSettings } from '../../campaign/campaign.ts';
import { type LiveLead, lead, leadStream, numberOf } from '../../lead/lead.ts';
import { isSameLine } from '../../lead/phone-number.ts';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { type Outcome, whatComesNext } from '../attempt/what-comes-next.ts';

type Ended = CallEndedEvent['data'];
/** A call that was not placed, with the id of the command that asked for it; null where that is not told. */
type NotPlaced = CallNotPlacedEvent['data'] & { readonly command_id: string | null };

const outcomes = {
  completed: 'completed',
  no_answer: 'no_answer',
  busy: 'no_answer',
  failed: 'failed',
} as const satisfies Record<Ended['status'], Outcome>;

/** How soon a lead is due again whose call could not be placed for now. */
const againAfterMs = 60_000;

/** The events of a lead whose call is over; none when the campaign has gone on without the call. */
export function endOfCall(
  state: LiveLead,
  call: Ended,
  { retries }: CampaignSettings,
  now: Date,
): LeadEvent[] {
  const found = attemptOf(state, call, now);
  if (!found) return [];
  const outcome = outcomes[call.status];
  const ended: LeadEvent = {
    type: 'LeadAttemptEnded',
    data: {
      ...found.about,
      outcome,
      reason: reasonOf(call),
      next: whatComesNext(found.lead, outcome, retries, now),
    },
  };
  return [...found.started, ended];
}

function reasonOf({ status, duration_s, transcript }: Ended): string | null {
  if (status === 'busy') return 'The line was busy.';
  // What telephony puts on record of a call without a report, as where no agent was there.
  const isUnreported = status === 'completed' && duration_s === 0 && transcript.length === 0;
  return isUnreported ? 'The call was answered, and no agent has told of it.' : null;
}

/**
 * The events of a lead whose call was not placed, but may be later: the lead is given back. The end of that same call,
 * which is told as well, does not end the attempt.
 */
export function callPutOff(state: LiveLead, call: NotPlaced, now: Date): LeadEvent[] {
  const found = attemptOf(state, call, now);
  if (!found) return [];
  const dueAt = new Date(now.getTime() + againAfterMs).toISOString();
  const data = { ...found.about, reason: call.reason, due_at: dueAt, is_outcome_unknown: false };
  return [...found.started, { type: 'LeadAttemptWithdrawn', data }];
}

/** What is told of a call: whom it was for, or by which command it was asked for. */
type Told = Pick<Ended, 'call_id'> & Partial<Pick<Ended, 'customer_phone'> & Pick<NotPlaced, 'command_id'>>;

/**
 * The attempt that a call was made for, after its start is recorded where it was not; null when it is not the present
 * one.
 */
function attemptOf(state: LiveLead, call: Told, now: Date) {
  const { call_id } = call;
  const at = now.toISOString();
  const started = startUnheardOf(state, call, at);
  const after = started.reduce(lead.evolve, state);
  if (after?.attempt?.reference !== String(call_id)) return null;
  const { number: attempt, contactId: contact_id } = after.attempt;
  return { started, lead: after, about: { campaign_id: after.campaignId, attempt, contact_id, at } };
}

/**
 * Records the start of an attempt where news of its call arrives before the command's answer is on record, or after the
 * attempt was withdrawn. Nothing when the call belongs to an earlier attempt: it was heard of before, went to an
 * earlier number, or was asked for by another command.
 */
export function startUnheardOf(
  state: LiveLead,
  { call_id, customer_phone, command_id }: Told,
  at: string,
): LeadEvent[] {
  const { id, campaignId: campaign_id, attempt, withdrawn, heardOf } = state;
  const reference = String(call_id);
  const unheardOf = withdrawn ?? (attempt?.reference === null ? attempt : null);
  if (!unheardOf || heardOf === reference) return [];
  const { number, contactId: contact_id } = unheardOf;
  if (customer_phone !== undefined && !isSameLine(customer_phone, numberOf(state, contact_id))) return [];
  if (command_id && command_id !== commandIdOf(leadStream(id), number)) return [];
  const data = { campaign_id, attempt: number, contact_id, at, reference };
  return [{ type: 'LeadAttemptStarted', data }];
}
