import { createHmac } from 'node:crypto';
import type { Callback } from '../callbacks/callback.ts';
import type { Hook } from '../callbacks/courier.ts';
import { newId } from './object-store.ts';

/** The version of the official SDK that these objects follow. */
const apiVersion = '2026-10-28.endive';

/** A webhook of Stripe's. `key` is the idempotency key of the request that caused it. */
export function stripeEvent(type: string, object: object, now: number, key: string | null): Callback {
  const subject = 'id' in object ? String(object.id) : type;
  return {
    provider: 'payments',
    topic: `payments:${subject}`,
    event: type,
    payload: {
      id: newId('evt'),
      object: 'event',
      api_version: apiVersion,
      created: now,
      livemode: false,
      pending_webhooks: 1,
      request: { id: key === null ? null : newId('req'), idempotency_key: key },
      type,
      data: { object },
    },
  };
}

/** Stripe signs the time and the body; verifiers compare that time with their machine's, not with the platform's. */
export const stripeHook = (webhookSecret: string): Hook => ({
  path: '/hooks/payments/stripe',
  headers: async (body) => {
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', webhookSecret).update(`${timestamp}.${body}`).digest('hex');
    return {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': `t=${timestamp},v1=${signature}`,
    };
  },
});
