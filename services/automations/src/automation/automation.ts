import type { AutomationDefinition, AutomationEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/** Null before it is created and after it is deleted; its account stands on the stream's events. */
export type Automation = {
  readonly id: number;
  readonly name: string;
  readonly isEnabled: boolean;
  /** Version of the definition, which new runs follow; 0 before the first. */
  readonly version: number;
  readonly definition: AutomationDefinition;
  /** Canonical hash of the definition, by which a change is told. */
  readonly hash: string;
  /** Hash of the token in its webhook address; null before the first was issued. */
  readonly tokenHash: string | null;
} | null;

export const automationCategory = 'automation';
export const automationStream = (id: number): string => `${automationCategory}-${id}`;
export const automationIdOf = (streamId: string): number =>
  Number(streamId.slice(automationCategory.length + 1));

const nothingYet: AutomationDefinition = { trigger: { type: 'lead.created' }, steps: [] };

export const automation: Fold<Automation, AutomationEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'AutomationCreated': {
        const { id, name } = event.data;
        return { id, name, isEnabled: false, version: 0, definition: nothingYet, hash: '', tokenHash: null };
      }
      case 'AutomationRenamed':
        return state && { ...state, name: event.data.name };
      case 'AutomationDefinitionSaved': {
        const { version, hash, definition } = event.data;
        // It was checked when it was saved, by the rules of that time.
        return (
          state && { ...state, version, hash, definition: definition as unknown as AutomationDefinition }
        );
      }
      case 'AutomationWebhookIssued':
        return state && { ...state, tokenHash: event.data.token_hash };
      case 'AutomationActivated':
        return state && { ...state, isEnabled: true };
      case 'AutomationDeactivated':
        return state && { ...state, isEnabled: false };
      case 'AutomationDeleted':
        return null;
      default:
        return state;
    }
  },
};

export const statusOf = (isEnabled: boolean): 'enabled' | 'disabled' => (isEnabled ? 'enabled' : 'disabled');
