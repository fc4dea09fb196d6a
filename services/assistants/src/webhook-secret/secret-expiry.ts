import type { SqlExecutor, TimerRequest } from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { createWebhookSecretStore } from './secret-store.ts';

const kind = 'webhook-secret-expiry';
/**
 * How long a secret is kept beyond its validity: as long as the answer that showed it may be repeated, and some time
 * more.
 */
const keptForRepliesMs = 25 * 60 * 60 * 1000;

/** The timer that deletes the secret of a key which is valid for `validForMs` more. */
export const expiryTimer = (keyId: string, validForMs: number): TimerRequest => ({
  id: `${kind}:${keyId}`,
  kind,
  due: { afterMs: validForMs + keptForRepliesMs },
  payload: { key_id: keyId },
});

/** Deletes the secret of a key that was rotated out. */
export function secretExpiry(sql: SqlExecutor): Record<typeof kind, TimerHandler> {
  const secrets = createWebhookSecretStore(sql);
  return {
    [kind]: async ({ payload }) => {
      await secrets.delete(String(payload.key_id));
      return undefined;
    },
  };
}
