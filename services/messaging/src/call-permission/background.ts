import { Aggregates } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import { Conversations } from '../conversation/conversations.ts';
import { askTimers } from './ask-timers.ts';
import { ContactConversations } from './contact-conversations.ts';
import { followCalls } from './follow-calls.ts';
import { tellVoiceWebhook } from './tell-voice-webhook.ts';

/** Everything about call permission that goes on beside requests. */
export function callPermissionBackground({
  bus,
  eventsOf,
  sql,
  store,
}: Pick<BackgroundParts, 'bus' | 'eventsOf' | 'sql' | 'store'>): Pick<
  Required<Background>,
  'processors' | 'timers'
> {
  const aggregates = new Aggregates(store);
  const conversations = new ContactConversations(new Conversations(aggregates, sql));
  return {
    processors: [
      followCalls({
        source: eventsOf('telephony'),
        sql,
        store,
        known: (contact) => conversations.known(contact),
      }),
      tellVoiceWebhook({
        aggregates,
        bus,
        conversationOf: (contact) => conversations.uuidOf(contact),
      }),
    ],
    timers: askTimers(aggregates),
  };
}
