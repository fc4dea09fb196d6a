import { WebhookQueued, type WebhookQueuedEvent } from '@parley/contracts';
import type { AppendRequest, EventMetadata, EventStore, RecordedEvent } from '@parley/event-store';
import type { AttemptJob } from './attempt-timer.ts';
import { type Delivery, delivery, deliveryCategory, deliveryStream } from './delivery.ts';
import { queueStream } from './queue-webhook.ts';

export interface LoadedDelivery {
  readonly state: Delivery;
  readonly version: number;
  /** When the attempt under way began; null when there is none. */
  readonly startedAt: string | null;
}

/** Short: a stream holds a few events for each attempt. */
export async function loadDelivery(store: EventStore, deliveryId: string): Promise<LoadedDelivery> {
  const history = await store.readStream(deliveryStream(deliveryId));
  // The stream holds deliveries' events and no others; `evolve` ignores types it does not know.
  const state = history.reduce(
    (before, event) =>
      delivery.evolve(before, event as RecordedEvent & Parameters<typeof delivery.evolve>[1]),
    delivery.initialState,
  );
  const started = history.findLast(({ type }) => type === 'WebhookAttemptStarted');
  const startedAt = state.underWay === null ? null : (started?.recordedAt ?? null);
  return { state, version: history.length, startedAt };
}

/** What was queued: the body and where it was to go. */
export async function readQueued(
  store: EventStore,
  job: Pick<AttemptJob, 'account_id' | 'event' | 'sequence'>,
): Promise<WebhookQueuedEvent['data']> {
  const { account_id, event, sequence } = job;
  const range = { fromVersion: sequence, toVersion: sequence };
  const [queued] = await store.readStream(queueStream(account_id, event), range);
  return WebhookQueued.data.parse(queued?.data);
}

/** A body is a JSON object; another text stands where it was once a person it is about was erased (ADR 18). */
export const isErased = ({ body }: Pick<WebhookQueuedEvent['data'], 'body'>): boolean =>
  !body.startsWith('{');

/** An append to the delivery's stream. */
export const deliveryAppend = (
  { delivery_id, account_id }: AttemptJob,
  metadata: EventMetadata,
  effects: Pick<AppendRequest, 'events' | 'expectedVersion'> & Partial<AppendRequest>,
): AppendRequest => ({
  streamId: deliveryStream(delivery_id),
  category: deliveryCategory,
  accountId: account_id,
  metadata,
  ...effects,
});
