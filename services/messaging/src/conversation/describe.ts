import type { ConversationEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** A sentence for people, where the event's summary says too little; undefined for other events. */
export function describeConversationEvent(recorded: RecordedEvent): string | undefined {
  // A conversation's stream holds these events only.
  const { type, data } = recorded as RecordedEvent & ConversationEvent;
  if (type !== 'ConversationAiDisabled') return undefined;
  return data.reason === 'takeover'
    ? 'The assistant no longer answers: a person took over.'
    : 'The assistant no longer answers: it was switched off.';
}
