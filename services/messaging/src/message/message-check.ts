import type { MessageEvent } from '@parley/contracts';
import type { ClaimChange, Decision, TimerRequest } from '@parley/event-store';
import { leaseMs } from '@parley/processing';
import { type Message, messageStream } from './message.ts';

/** The platform tells within seconds, and again for as long as nobody listens: after this it will not tell any more. */
export const silenceMs = 24 * 60 * 60 * 1_000;

export const messageCheckKind = 'message-check';

/** A message, and what is known of it before anything else is. */
export interface Checked {
  readonly message_id: number;
  readonly hold_id: string | null;
  readonly command_id: string | null;
}

export const messageCheckId = (messageId: number): string => `${messageCheckKind}-${messageId}`;

/** A second look at a message, in case nobody is left who knows of it; a later one replaces it. */
export const checkAgainAfter = (
  afterMs: number,
  { message_id, hold_id, command_id }: Checked,
): TimerRequest => ({
  id: messageCheckId(message_id),
  kind: messageCheckKind,
  due: { afterMs },
  payload: { message_id, hold_id, command_id, ends_silence: afterMs === silenceMs },
});

/** Somebody prepares it, hands it over or pays for it, or has died meanwhile. */
export const checkUnlessRenewed = (checked: Checked): TimerRequest => checkAgainAfter(leaseMs, checked);

/** Whoever lives keeps the check away until it is known what became of the message. */
export const renewCheck = (state: Message, checked: Checked): Decision<MessageEvent> => ({
  events: [],
  timers:
    state === null || (state.direction === 'outbound' && state.status === 'queued')
      ? [checkUnlessRenewed(checked)]
      : [],
  reply: '{}',
});

/**
 * One message per request: a request that comes twice finds the message it has caused already. Given back only when the
 * message certainly was not sent.
 */
export const requestClaim = (
  op: ClaimChange['op'],
  { command_id, message_id }: Pick<Checked, 'command_id' | 'message_id'>,
): readonly ClaimChange[] =>
  command_id === null
    ? []
    : [{ op, scope: 'message-of-request', key: command_id, owner: messageStream(message_id) }];
