import type { ClaimChange, TimerRequest } from '@parley/event-store';
import { smsStream } from './sms.ts';

/** An SMS whose preparation takes longer is dropped. */
export const preparationDueMs = 5_000;
/** More than the carrier is usually given: whoever sent it is gone, or knows the outcome. */
export const outcomeDueMs = 15_000;
/** The carrier tells within minutes, and what it has not told by then it will not tell any more (ADR 17). */
export const silenceMs = 24 * 60 * 60 * 1_000;

export const smsCheckKind = 'sms-check';
export const smsCheckId = (id: number): string => `${smsCheckKind}-${id}`;

/** An SMS, and what is known of it before anything else is. */
export interface Checked {
  readonly sms_id: number;
  readonly hold_id: string | null;
  readonly command_id: string | null;
}

/** A second look at an SMS, in case nobody is left who knows of it; a later one replaces it. */
export const checkAfter = (afterMs: number, { sms_id, hold_id, command_id }: Checked): TimerRequest => ({
  id: smsCheckId(sms_id),
  kind: smsCheckKind,
  due: { afterMs },
  payload: { sms_id, hold_id, command_id },
});

/**
 * One SMS per request: a request that comes twice finds the SMS it has caused already. Given back only when that was
 * certainly not sent.
 */
export const requestClaim = (
  op: ClaimChange['op'],
  { command_id, sms_id }: Pick<Checked, 'command_id' | 'sms_id'>,
): readonly ClaimChange[] =>
  command_id === null ? [] : [{ op, scope: 'sms-of-request', key: command_id, owner: smsStream(sms_id) }];
