import { noReferences } from '@parley/contracts';
import type { JsonObject } from '@parley/event-store';
import { sayWhyNotAnswered } from './incoming/not-answered.ts';
import { referencesOf } from './incoming/references.ts';
import type { Message } from './message.ts';

/** A message as its history shows it, in the API's names; null for one that was dropped before it was handed over. */
export function showMessage(state: Message) {
  switch (state?.direction) {
    case 'outbound': {
      const { start, status, error, messageSid } = state;
      return {
        id: start.message_id,
        conversation_id: start.conversation_id,
        direction: state.direction,
        author: start.author,
        type: start.kind === 'template' ? 'template' : 'text',
        text: start.body,
        template_id: start.template_id,
        message_sid: messageSid,
        status,
        error,
        ...noReferences,
      };
    }
    case 'inbound': {
      const { received, notAnswered } = state;
      return {
        id: received.message_id,
        conversation_id: received.conversation_id,
        direction: state.direction,
        author: 'contact',
        type: received.kind,
        text: received.text,
        template_id: null,
        message_sid: received.message_sid,
        status: 'received',
        error: notAnswered && sayWhyNotAnswered(notAnswered),
        ...referencesOf(received),
        referral: received.referral as JsonObject | null,
      };
    }
    case 'dropped':
    case undefined:
      return null;
    default:
      return state satisfies never;
  }
}
