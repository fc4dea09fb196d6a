import { isDeepStrictEqual } from 'node:util';
import { invalidField, type LeadEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { lateAnswerTimerId } from '../outreach/attempt/late-answer-timer.ts';
import type { LeadAnswer } from './create-lead.ts';
import { toItem } from './item.ts';
import { sizeFault } from './item-size.ts';
import { type Lead, lead, leadStream, type Variables } from './lead.ts';
import { claimsOn, type NumberClaim } from './number-claim.ts';
import { isSameLine, phoneNumberFault } from './phone-number.ts';

/** Only what is given is changed; `variables` replaces what was there, and goes with the lead to another number. */
export interface UpdateLead {
  readonly phone_number?: string | undefined;
  readonly variables?: Variables | undefined;
  readonly now: Date;
  /** The lead's campaign. */
  readonly campaign: { readonly id: number; readonly name: string };
  readonly claim: NumberClaim;
}

/** Succeeds without an event when nothing would change. */
export function updateLead(
  state: Lead,
  { phone_number: phoneNumber, variables, now, campaign, claim }: UpdateLead,
  version: number,
): Decision<LeadEvent, LeadAnswer> | Rejection {
  if (!state) return reject('not_found');
  const fault = phoneNumber === undefined ? undefined : phoneNumberFault(phoneNumber);
  if (fault !== undefined) return invalidField('phone_number', fault);
  const at = now.toISOString();
  const events: LeadEvent[] = [];
  const isMoved = phoneNumber !== undefined && phoneNumber !== state.phoneNumber;
  // Another spelling of the line is the same number.
  const isSomebodyElse = isMoved && !isSameLine(phoneNumber, state.phoneNumber);
  // Compared without regard to the order of names, which storing changes.
  const isReplaced = variables !== undefined && !isDeepStrictEqual(variables, state.variables);
  if (isMoved) {
    // From here on the variables belong to the person with the new number, and go when that person is erased.
    const kept = isSomebodyElse && !isReplaced ? state.variables : null;
    events.push({ type: 'LeadPhoneNumberChanged', data: { phone_number: phoneNumber, variables: kept, at } });
  }
  if (isReplaced) events.push({ type: 'LeadVariablesReplaced', data: { variables, at } });
  const item = toItem(events.reduce(lead.evolve, state) ?? state, campaign);
  const tooLarge = variables === undefined ? undefined : sizeFault(item);
  if (tooLarge) return tooLarge;
  return {
    events,
    ...(isSomebodyElse && {
      claims: claimsOn(
        { campaignId: state.campaignId, phoneNumber },
        `${leadStream(state.id)}/${version + 1}`,
        claim.holders,
      ),
      onClaimTaken: claim.onClaimTaken,
      cancelTimers: [lateAnswerTimerId(leadStream(state.id))],
    }),
    reply: { message: 'Lead updated successfully', data: item },
  };
}
