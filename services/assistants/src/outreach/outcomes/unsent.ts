import type { LeadEvent } from '@parley/contracts';
import { type LiveLead, leadStream } from '../../lead/lead.ts';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { startUnheardOf } from './end-of-call.ts';

/** A message that its provider took and did not send. */
export interface Unsent {
  /** Its id in the channel's service. */
  readonly id: number;
  /** Id of the command that it was sent for; null when that is not known. */
  readonly commandId: string | null;
  readonly reason: string;
  readonly againAfterMs: number;
}

/**
 * Gives a lead back: nobody was reached, though the provider had taken the message. Nothing when the message was not for
 * the newest attempt, or the lead has gone on since.
 */
export function unsent(
  state: LiveLead,
  { id: call_id, commandId: command_id, reason, againAfterMs }: Unsent,
  now: Date,
): LeadEvent[] {
  if (command_id !== commandIdOf(leadStream(state.id), state.attempts) || !isUpToDate(state)) return [];
  // The window in which that may be done can be changed until then.
  const due_at = new Date(now.getTime() + againAfterMs).toISOString();
  const { campaignId: campaign_id, attempts: attempt, tried } = state;
  const about = { campaign_id, attempt, contact_id: tried.contactId, at: now.toISOString() };
  return [
    ...startUnheardOf(state, { call_id, command_id }, about.at),
    { type: 'LeadAttemptWithdrawn', data: { ...about, reason, due_at, is_outcome_unknown: false } },
  ];
}

/** Whether the newest attempt is still the last word: its number was not changed, and no other attempt is due. */
const isUpToDate = ({ attempt, withdrawn, next, tried }: LiveLead): boolean =>
  attempt ? !attempt.isOutdated : withdrawn !== null || (next === null && tried.times > 0);
