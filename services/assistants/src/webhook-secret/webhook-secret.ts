import type { WebhookSecretEvent } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

/**
 * Which keys sign an account's webhooks; null before the first is made. The secrets are kept apart (`secret-store.ts`).
 */
export type WebhookSecret = {
  readonly keyId: string;
  /** The key that signs beside the present one until `validUntil` (ISO 8601); null when there is none. */
  readonly previous: { readonly keyId: string; readonly validUntil: string } | null;
} | null;

export const webhookSecretStream = (accountId: number): string => `webhook-secret-${accountId}`;

export const webhookSecret: Fold<WebhookSecret, WebhookSecretEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'WebhookSecretCreated':
        return { keyId: event.data.key_id, previous: null };
      case 'WebhookSecretRotated': {
        const { key_id: keyId, previous_key_id, previous_valid_until: validUntil } = event.data;
        return { keyId, previous: { keyId: previous_key_id, validUntil } };
      }
      default:
        return state;
    }
  },
};

/** The keys that sign at a moment of the platform clock, the present one first. */
export const signingKeys = (
  state: NonNullable<WebhookSecret>,
  now: Date,
): readonly [present: string, previous?: string] =>
  state.previous && new Date(state.previous.validUntil) > now
    ? [state.keyId, state.previous.keyId]
    : [state.keyId];
