import type { WebhookSecretEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { expiryTimer } from './secret-expiry.ts';
import type { WebhookSecret } from './webhook-secret.ts';

/** How long the previous secret signs beside the new one: time to change it at every receiver. */
const overlapMs = 24 * 60 * 60 * 1000;

/** The answer as it is stored for repetitions: it names keys, so that it holds no secret. */
export interface KeysAnswer {
  readonly key_id: string;
  readonly previous: { readonly key_id: string; readonly valid_until: string } | null;
}

/** Creates the account's first key when one is needed. */
export function createWebhookSecret(
  state: WebhookSecret,
  keyId: string,
): Decision<WebhookSecretEvent, KeysAnswer> {
  if (state) return { events: [], reply: keysAnswer(state) };
  return {
    events: [{ type: 'WebhookSecretCreated', data: { key_id: keyId } }],
    reply: { key_id: keyId, previous: null },
  };
}

/**
 * Replaces the account's key; the previous one signs beside it for a day. A second rotation within that time ends the
 * oldest key at once: two are valid, never three.
 */
export function rotateWebhookSecret(
  state: WebhookSecret,
  { keyId, now }: { readonly keyId: string; readonly now: Date },
): Decision<WebhookSecretEvent, KeysAnswer> {
  if (!state) return createWebhookSecret(state, keyId);
  const validUntil = new Date(now.getTime() + overlapMs).toISOString();
  return {
    events: [
      {
        type: 'WebhookSecretRotated',
        data: { key_id: keyId, previous_key_id: state.keyId, previous_valid_until: validUntil },
      },
    ],
    timers: [expiryTimer(state.keyId, overlapMs)],
    reply: { key_id: keyId, previous: { key_id: state.keyId, valid_until: validUntil } },
  };
}

export const keysAnswer = ({ keyId, previous }: NonNullable<WebhookSecret>): KeysAnswer => ({
  key_id: keyId,
  previous: previous && { key_id: previous.keyId, valid_until: previous.validUntil },
});
