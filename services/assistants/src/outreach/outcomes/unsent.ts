import type { LeadEvent } from '@parley/contracts';
import { type LiveLead, leadStream } from '../../lead/lead.ts';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { nextOpening, type OpeningHours } from '../pacing/windows.ts';
import { startUnheardOf } from './end-of-call.ts';

/** What its provider took and did not send. */
export interface Unsent {
  /** The id that its service calls it by. */
  readonly id: number;
  /** The request that it was sent for. */
  readonly commandId: string | null;
  readonly reason: string;
  readonly againAfterMs: number;
}

/** Nobody was reached though the provider had taken it: the lead is given back for the campaign's next hours. */
export function unsent(
  state: LiveLead,
  { id: call_id, commandId: command_id, reason, againAfterMs }: Unsent,
  hours: OpeningHours,
  now: Date,
): LeadEvent[] {
  if (command_id !== commandIdOf(leadStream(state.id), state.attempts) || !isUpToDate(state)) return [];
  const soonest = new Date(now.getTime() + againAfterMs);
  const due_at = (nextOpening(hours, soonest) ?? soonest).toISOString();
  const { campaignId: campaign_id, attempts: attempt, tried } = state;
  const about = { campaign_id, attempt, contact_id: tried.contactId, at: now.toISOString() };
  return [
    ...startUnheardOf(state, { call_id, command_id }, about.at),
    { type: 'LeadAttemptWithdrawn', data: { ...about, reason, due_at, is_outcome_unknown: false } },
  ];
}

/** Whoever was written to last has the same number still, and nobody else's turn has come. */
const isUpToDate = ({ attempt, withdrawn, next, tried }: LiveLead): boolean =>
  attempt ? !attempt.isOutdated : withdrawn !== null || (next === null && tried.times > 0);
