import type { CallEndedEvent, CallPermissionEvent } from '@parley/contracts';
import { type Contact, fieldsOf } from './asking.ts';
import type { CallPermission } from './call-permission.ts';
import type { PermissionTerms } from './standing.ts';

/** A reply as the chat platform tells it. `revoke`: permission is taken back without an ask. */
export interface CustomerReply {
  readonly replyId: string;
  /** ISO 8601 */
  readonly at: string;
  readonly response: 'accept' | 'reject' | 'revoke';
  readonly isPermanent: boolean;
  /** End of a temporary permission by the chat platform, ISO 8601; null when it tells none. */
  readonly expiresAt: string | null;
}

/**
 * The event for a reply of the customer. The reply that was given last holds, in whatever order they are told: an
 * earlier one becomes `CallPermissionReplyOutdated`.
 */
export function recordReply(
  { reply: known }: CallPermission,
  contact: Contact,
  reply: CustomerReply,
  { temporaryGrantMs }: Pick<PermissionTerms, 'temporaryGrantMs'>,
): CallPermissionEvent {
  const { replyId: reply_id, at, response } = reply;
  const data = { ...fieldsOf(contact), reply_id, at };
  if (known && Date.parse(at) < Date.parse(known.at))
    return { type: 'CallPermissionReplyOutdated', data: { ...data, response } };
  switch (response) {
    case 'accept': {
      const end = reply.expiresAt ?? new Date(Date.parse(at) + temporaryGrantMs).toISOString();
      return {
        type: 'CallPermissionGranted',
        data: {
          ...data,
          validity: reply.isPermanent ? { kind: 'permanent' } : { kind: 'temporary', expires_at: end },
        },
      };
    }
    case 'reject':
      return { type: 'CallPermissionRejected', data };
    case 'revoke':
      return { type: 'CallPermissionRevoked', data };
    default:
      return response satisfies never;
  }
}

/** The event for a message of the customer, which opens a session; `at` is ISO 8601. */
export const contactWrote = (contact: Contact, messageSid: string, at: string): CallPermissionEvent => ({
  type: 'ContactWrote',
  data: { ...fieldsOf(contact), message_sid: messageSid, at },
});

/** The event for the end of a call; its time is at most `now`. */
export const voiceCallEnded = (
  contact: Contact,
  call: CallEndedEvent['data'],
  now: Date,
): CallPermissionEvent => ({
  type: 'ContactVoiceCallEnded',
  data: {
    ...fieldsOf(contact),
    call_id: call.call_id,
    direction: call.direction,
    status: call.status,
    at: new Date(Math.min(Date.parse(call.finished_at), now.getTime())).toISOString(),
  },
});
