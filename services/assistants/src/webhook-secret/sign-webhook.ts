import { Webhook } from 'standardwebhooks';

export interface UnsignedWebhook {
  readonly id: string;
  readonly body: string;
  /** `whsec_…`; the receiver needs one of them. */
  readonly secrets: readonly string[];
  /** Of the attempt, by the clock of the world: receivers refuse what differs much from theirs. */
  readonly timestamp: Date;
}

/** The headers of Standard Webhooks 1.0; a signature for each secret, separated by spaces. */
export const signWebhook = ({ id, body, secrets, timestamp }: UnsignedWebhook) => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(timestamp.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, timestamp, body)).join(' '),
});
