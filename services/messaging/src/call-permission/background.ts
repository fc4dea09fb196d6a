import { Aggregates } from '@parley/event-store';
import type { Background, BackgroundParts } from '@parley/service-kit';
import type { MessagingConfig } from '../config.ts';
import { Conversations } from '../conversation/conversations.ts';
import { askTimers } from './ask-timers.ts';
import { ContactConversations } from './contact-conversations.ts';
import { followCalls } from './follow-calls.ts';
import { tellVoiceWebhook } from './tell-voice-webhook.ts';
import { termsOf } from './terms.ts';

/** The reactors and timer handlers of call permission. */
export function callPermissionBackground({
  bus,
  config,
  eventsOf,
  sql,
  store,
}: Pick<BackgroundParts<MessagingConfig>, 'bus' | 'config' | 'eventsOf' | 'sql' | 'store'>): Pick<
  Required<Background>,
  'reactors' | 'timers'
> {
  const aggregates = new Aggregates(store);
  const conversations = new ContactConversations(new Conversations(aggregates, sql));
  return {
    reactors: [
      followCalls({
        source: eventsOf('telephony'),
        sql,
        store,
        known: (contact) => conversations.known(contact),
      }),
      tellVoiceWebhook({
        aggregates,
        bus,
        terms: termsOf(config),
        conversationOf: (contact) => conversations.uuidOf(contact),
      }),
    ],
    timers: askTimers(aggregates),
  };
}
