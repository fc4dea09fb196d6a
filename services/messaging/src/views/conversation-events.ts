import type { ConversationEvent, MessageEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

export type Handled = ConversationEvent | MessageEvent;
export type RecordedHandled = RecordedEvent & Handled;

/** The events that conversations and their messages are shown from. */
export const conversationEventTypes: readonly Handled['type'][] = [
  'ConversationStarted',
  'ConversationContactNamed',
  'ConversationContactMoved',
  'ConversationMarketingStopped',
  'ConversationMarketingResumed',
  'ConversationAiEnabled',
  'ConversationAiDisabled',
  'MessageSendStarted',
  'MessageSent',
  'MessageFailed',
  'MessageOutcomeUnknown',
  'MessageDelivered',
  'MessageRead',
  'MessageUndeliverable',
  'MessageReceived',
  'MessageNotAnswered',
];

const known: ReadonlySet<string> = new Set(conversationEventTypes);
export const isConversationEvent = (event: RecordedEvent): event is RecordedHandled => known.has(event.type);
