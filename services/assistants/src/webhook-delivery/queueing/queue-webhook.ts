import type { WebhookEndpoint, WebhookKind, WebhookQueuedEvent } from '@parley/contracts';
import { type AppendRequest, type CommandRecord, type EventMetadata, newEventId } from '@parley/event-store';
import { v5 as uuidv5 } from 'uuid';
import { type AttemptJob, attemptTimer } from '../sending/attempt-timer.ts';

/** A webhook to be queued. */
export interface QueueWebhook {
  readonly accountId: number;
  readonly endpoint: WebhookEndpoint;
  /** A UUID of what the customer is told of: there is one webhook of each kind about it, however often it is queued. */
  readonly eventId: string;
  /** ISO 8601 in UTC. */
  readonly occurredAt: string;
  /** The fields of the body beside the envelope's. */
  readonly fields: object;
  readonly metadata: EventMetadata;
}

const queueCategory = 'webhook-queue';

/**
 * The queue of an account's webhooks of one kind. The stream has nothing but `WebhookQueued`, so its versions are the
 * sequence.
 */
export const queueStream = (accountId: number, event: WebhookKind): string =>
  `${queueCategory}-${accountId}:${event}`;

/**
 * The `webhook-id` of Standard Webhooks: the same for all attempts, and also where the same webhook is queued again.
 */
const deliveryIdOf = (accountId: number, event: WebhookKind, eventId: string): string =>
  `msg_${uuidv5(`${accountId}:${event}`, eventId).replaceAll('-', '')}`;

/** The append that queues a webhook, and the delivery that it leads to. */
export interface Queuing {
  readonly append: AppendRequest & { readonly command: CommandRecord };
  readonly job: AttemptJob;
}

/**
 * The append that queues a webhook as number `sequence` of its account and kind: a conflict when that number is taken,
 * repeated when the webhook is queued already. The body is fixed here, byte by byte. Its delivery is due at once.
 */
export function queueWebhook(command: QueueWebhook, sequence: number): Queuing {
  const { accountId, endpoint, eventId, occurredAt, fields, metadata } = command;
  const { event } = endpoint;
  const deliveryId = deliveryIdOf(accountId, event, eventId);
  const body = { event, event_id: eventId, sequence, occurred_at: occurredAt, ...fields };
  const queuedId = newEventId();
  const queued: WebhookQueuedEvent = {
    type: 'WebhookQueued',
    data: {
      delivery_id: deliveryId,
      event_id: eventId,
      sequence,
      endpoint,
      body: JSON.stringify(body),
      occurred_at: occurredAt,
    },
  };
  const job = {
    delivery_id: deliveryId,
    account_id: accountId,
    event,
    sequence,
    url: endpoint.url,
    correlation_id: metadata.correlationId,
    causation_id: queuedId,
  };
  const append = {
    streamId: queueStream(accountId, event),
    category: queueCategory,
    accountId,
    events: [{ ...queued, eventId: queuedId }],
    expectedVersion: sequence - 1,
    metadata,
    command: {
      commandId: uuidv5(`queue-webhook:${accountId}:${event}`, eventId),
      fingerprint: '',
      reply: JSON.stringify({ delivery_id: deliveryId }),
    },
    timers: [attemptTimer(job, { afterMs: 0 })],
  };
  return { append, job };
}
