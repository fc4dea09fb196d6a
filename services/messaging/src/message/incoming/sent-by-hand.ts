import { type ChatEvent, type MessageEvent, type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { type Message, newReferenceOf, type StartedSend } from '../message.ts';

export type SentByHand = Extract<ChatEvent, { readonly type: 'message_sent_by_hand' }>;

type Ids = Pick<
  StartedSend,
  'message_id' | 'chatapp_message_id' | 'conversation_id' | 'conversation_uuid' | 'sender_id'
>;

/** The send of a message that was written in the platform's own app: without price, hold or command. */
export const sendByHand = ({ contact, kind, text }: SentByHand, ids: Ids): StartedSend => ({
  ...ids,
  contact_phone: contact,
  author: 'person',
  kind: 'freeform',
  template_id: null,
  body: text ?? `[${kind}]`,
  price_micros: 0,
  hold_id: null,
  command_id: null,
  command_fingerprint: null,
  in_reply_to: null,
  reference: newReferenceOf(ids.message_id),
});

/** Records the message as sent; the reply holds its id, so that a repetition learns the first one. */
export function recordSentByHand(
  state: Message,
  start: StartedSend,
  messageSid: string,
): Decision<MessageEvent, Pick<StartedSend, 'message_id'>> | Rejection {
  if (state) return reject('contended');
  const { message_id } = start;
  return {
    events: [
      { type: 'MessageSendStarted', data: start },
      { type: 'MessageSent', data: { message_id, message_sid: messageSid } },
    ],
    reply: { message_id },
  };
}
