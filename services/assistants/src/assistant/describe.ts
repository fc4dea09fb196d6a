import { type AssistantEvent, summaryOf } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';

/** Why a webhook was turned off. */
export const offBecause = {
  request: 'somebody asked for it',
  released: 'it went to an automation that hears of these calls no more',
  gone: 'its endpoint said that it is gone',
  failing: 'its endpoint had failed for too long',
} as const;

/** One line for people about what happened. */
export function describeAssistantEvent(recorded: RecordedEvent): string {
  // An assistant's stream holds these events only.
  const event = recorded as RecordedEvent & AssistantEvent;
  switch (event.type) {
    case 'AssistantRenamed':
      return `Renamed to ${JSON.stringify(event.data.name)}.`;
    case 'AssistantSettingsChanged':
      return `Changed: ${Object.keys(event.data.changed).join(', ')}.`;
    case 'AssistantMovedToFolder':
      return event.data.folder_id === null
        ? 'Taken out of its folder.'
        : `Put into folder ${event.data.folder_id}.`;
    case 'AssistantLabelled':
      return event.data.label_ids.length === 0
        ? 'Lost its labels.'
        : `Labelled with ${event.data.label_ids.join(', ')}.`;
    case 'AssistantKnowledgebaseChanged':
      return event.data.knowledgebase_id === null
        ? 'Goes on without a knowledgebase.'
        : `Uses knowledgebase ${event.data.knowledgebase_id}.`;
    case 'AssistantNumberChanged':
      return event.data.phone_number_id === null
        ? 'Goes on without a phone number.'
        : `Got phone number ${event.data.phone_number_id}.`;
    case 'WebhookDisabled':
    case 'InboundWebhookDisabled':
      return event.data.reason === null
        ? summaryOf(recorded)
        : `${summaryOf(recorded).replace(/\.$/, '')}, because ${offBecause[event.data.reason]}.`;
    default:
      return summaryOf(recorded);
  }
}
