import { invalidField, type LeadEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { lateAnswerTimerId } from '../outreach/attempt/late-answer-timer.ts';
import type { LeadAnswer } from './create-lead.ts';
import { toItem } from './item.ts';
import { type Lead, lead, leadStream } from './lead.ts';

export interface ReopenLead {
  readonly now: Date;
  /** The lead's campaign. */
  readonly campaign: { readonly id: number; readonly name: string };
}

/**
 * Has a campaign reach out anew to a lead that it is done with; `invalid` while it is not. Succeeds without an event
 * where nobody has reached out to the lead yet.
 */
export function reopenLead(
  state: Lead,
  { now, campaign }: ReopenLead,
): Decision<LeadEvent, LeadAnswer> | Rejection {
  if (!state) return reject('not_found');
  const isNew = state.status === 'created';
  const isOver = state.attempt === null && state.next === null;
  if (!isNew && !isOver) return invalidField('status', 'The lead is still being reached out to.');
  const data = { campaign_id: state.campaignId, at: now.toISOString() };
  const events: LeadEvent[] = isNew ? [] : [{ type: 'LeadReopened', data }];
  return {
    events,
    // A late answer to an earlier attempt no longer concerns the lead.
    cancelTimers: isNew ? [] : [lateAnswerTimerId(leadStream(state.id))],
    reply: {
      message: 'Lead reopened successfully',
      data: toItem(events.reduce(lead.evolve, state) ?? state, campaign),
    },
  };
}
