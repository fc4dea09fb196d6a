import type { SmsEvent } from '@parley/contracts';
import type { ClaimChange, Decision, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import { type Sms, smsStream } from './sms.ts';

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
  payload: { sms_id, hold_id, command_id, ends_silence: afterMs === silenceMs },
});

/** Somebody prepares it, hands it over or pays for it, or has died meanwhile. */
export const checkUnlessRenewed = (checked: Checked): TimerRequest => checkAfter(leaseMs, checked);

/** Whoever lives keeps the check away until it is known what became of the SMS. */
export const renewCheck = (state: Sms, checked: Checked): Decision<SmsEvent> => ({
  events: [],
  timers:
    state === null || (state.phase === 'outgoing' && state.status === 'queued')
      ? [checkUnlessRenewed(checked)]
      : [],
  reply: '{}',
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
