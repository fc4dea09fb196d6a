import { Webhook } from 'standardwebhooks';

/** A webhook to be signed; `id` is its `webhook-id`. */
export interface UnsignedWebhook {
  readonly id: string;
  readonly body: string;
  /** Secrets as `whsec_…`, each of which makes a signature; the receiver needs to know one of them. */
  readonly secrets: readonly string[];
  /** When the attempt is made, by the world's clock: receivers refuse what differs much from theirs. */
  readonly timestamp: Date;
}

/** The headers of Standard Webhooks 1.0; a signature for each secret, separated by spaces. */
export const signWebhook = ({ id, body, secrets, timestamp }: UnsignedWebhook) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body)).join(' '),
});
