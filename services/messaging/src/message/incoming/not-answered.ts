import type { MessageEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Message, ReceivedMessage, WhyNotAnswered } from '../message.ts';

/** Records, once, that the assistant does not reply to a contact's message. */
export function recordNotAnswered(state: Message, reason: WhyNotAnswered): Decision<MessageEvent> {
  if (state?.direction !== 'inbound' || state.notAnswered !== null) return { events: [], reply: '{}' };
  return { events: [notAnswered(state.received, reason)], reply: '{}' };
}

export const notAnswered = (
  { message_id, conversation_id }: Pick<ReceivedMessage['received'], 'message_id' | 'conversation_id'>,
  reason: WhyNotAnswered,
): MessageEvent => ({ type: 'MessageNotAnswered', data: { message_id, conversation_id, reason } });

const sentences: Readonly<Record<WhyNotAnswered, string>> = {
  insufficient_balance: 'The assistant did not answer: the balance is too low.',
  model_refused: 'The assistant did not answer: the language model refused to.',
  send_failed: 'The assistant did not answer: the chat platform refused its reply.',
  given_up: 'The assistant did not answer: no reply could be given for five minutes.',
  no_text: 'The assistant did not answer: the message has no words.',
  window_closed:
    'The assistant did not answer: the message was known of only when the window for text had closed.',
  too_many_replies: 'The assistant did not answer: there were too many replies here in a short time.',
};

/** The reason as a sentence for readers of the conversation. */
export const sayWhyNotAnswered = (reason: WhyNotAnswered): string => sentences[reason];
