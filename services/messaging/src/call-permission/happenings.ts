import type { CallEndedEvent, CallPermissionEvent } from '@parley/contracts';
import { type Contact, fieldsOf } from './asking.ts';
import type { CallPermission } from './call-permission.ts';
import type { PermissionTerms } from './standing.ts';

export interface CustomerReply {
  readonly replyId: string;
  /** ISO 8601 */
  readonly at: string;
  readonly response: 'accept' | 'reject' | 'revoke';
  readonly isPermanent: boolean;
  /** What the chat platform says about a temporary permission. */
  readonly expiresAt: string | null;
}

/** The customer allows calls, declines them, or takes the permission back. What was said last holds, told in any order. */
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

/** The customer wrote. */
export const contactWrote = (contact: Contact, messageSid: string, at: string): CallPermissionEvent => ({
  type: 'ContactWrote',
  data: { ...fieldsOf(contact), message_sid: messageSid, at },
});

/** A call between the two is over. */
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
