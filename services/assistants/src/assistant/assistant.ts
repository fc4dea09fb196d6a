import type { AssistantEvent, AssistantSettings } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/**
 * An assistant's state. The fields are called as in the API, so that histories and states read as customers know them.
 */
export interface LiveAssistant extends AssistantSettings {
  readonly id: number;
  readonly uuid: string;
  readonly status: 'active' | 'inactive';
  /** When it was deleted, ISO 8601; nothing happens to it after that. */
  readonly deleted_at: string | null;
}

/** `null` before it is created. */
export type Assistant = LiveAssistant | null;

export const assistantCategory = 'assistant';
export const assistantStream = (id: number): string => `${assistantCategory}-${id}`;

/** The assistant as customers know it: a deleted one is not there. */
export const living = (state: Assistant): Assistant => (state?.deleted_at === null ? state : null);

export const assistant: Fold<Assistant, AssistantEvent> = {
  initialState: null,
  evolve(state, event) {
    if (event.type === 'AssistantCreated') {
      const { id, uuid, settings } = event.data;
      return { id, uuid, status: 'inactive', deleted_at: null, ...settings };
    }
    return state && { ...state, ...changeOf(event) };
  },
};

/** The assistant's fields that an event changes, with their new values; both views and state take them from here. */
export function changeOf(
  event: Exclude<AssistantEvent, { type: 'AssistantCreated' }>,
): Partial<LiveAssistant> {
  switch (event.type) {
    case 'AssistantSettingsChanged':
      // In TypeScript the schema's optional fields may be undefined; in JSON such a field is absent.
      return event.data.changed as Partial<LiveAssistant>;
    case 'AssistantActivated':
      return { status: 'active' };
    case 'AssistantDeactivated':
      return { status: 'inactive' };
    case 'WebhookEnabled':
      return { is_webhook_active: true, ...event.data };
    case 'WebhookDisabled':
      return { is_webhook_active: false, webhook_url: event.data.webhook_url };
    case 'InboundWebhookDisabled':
      return { inbound_webhook_url: null };
    case 'AssistantRenamed':
    case 'AssistantMovedToFolder':
    case 'AssistantLabelled':
    case 'AssistantKnowledgebaseChanged':
    case 'AssistantNumberChanged':
    case 'InboundWebhookEnabled':
    case 'AssistantDeleted':
      return event.data;
    default:
      event satisfies never;
      return {};
  }
}
