import { type WebhookDeliveryEvent, WebhookQueued, type WebhookQueuedEvent } from '@parley/contracts';
import type { Aggregates, AppendRequest, EventMetadata, EventStore } from '@parley/event-store';
import { type Delivery, delivery, deliveryCategory, deliveryStream } from './delivery.ts';
import { queueStream } from './queueing/queue-webhook.ts';
import type { AttemptJob } from './sending/attempt-timer.ts';

/** A delivery folded from its stream. */
export interface LoadedDelivery {
  readonly state: Delivery;
  readonly version: number;
  /** When the attempt under way began; null when there is none. */
  readonly startedAt: string | null;
}

/** Where deliveries are read; both parts must belong to the same log. */
export interface DeliveryLog {
  readonly aggregates: Aggregates;
  readonly store: EventStore;
}

/**
 * The delivery as it is now. It may be sent again without end, so events that were folded before are not read again.
 */
export async function loadDelivery(
  { aggregates, store }: DeliveryLog,
  deliveryId: string,
): Promise<LoadedDelivery> {
  const { state, version } = await aggregates.load(deliveryStream(deliveryId), delivery);
  const startedAt = state.underWay === null ? null : await newestStart(store, deliveryId, version);
  return { state, version, startedAt };
}

/** How many events are read at a time, from the newest back: few follow the start of the attempt under way. */
const readAtOnce = 20;

async function newestStart(store: EventStore, deliveryId: string, version: number): Promise<string | null> {
  for (let toVersion = version; toVersion >= 1; toVersion -= readAtOnce) {
    const fromVersion = Math.max(1, toVersion - readAtOnce + 1);
    const events = await store.readStream(deliveryStream(deliveryId), { fromVersion, toVersion });
    const found = events.findLast(({ type }) => type === 'WebhookAttemptStarted');
    if (found) return found.recordedAt;
  }
  return null;
}

/** Event types by which somebody has a delivery sent again. */
const asking: readonly WebhookDeliveryEvent['type'][] = [
  'WebhookRedeliveryRequested',
  'WebhookReplayRequested',
];

/** Whether somebody had the delivery sent again after a position of the log. */
export async function wasAskedSince(
  store: Pick<EventStore, 'readAll'>,
  deliveryId: string,
  position: number,
): Promise<boolean> {
  const streamId = deliveryStream(deliveryId);
  return (await store.readAll({ streamId, types: asking, after: position, limit: 1 })).length > 0;
}

/**
 * The queued webhook: its body and where it was to go; `chainDepth` is that of the run of an automation that led to it,
 * if any.
 */
export async function readQueued(
  store: EventStore,
  job: Pick<AttemptJob, 'account_id' | 'event' | 'sequence'>,
): Promise<WebhookQueuedEvent['data'] & { readonly chainDepth: number | undefined }> {
  const { account_id, event, sequence } = job;
  const range = { fromVersion: sequence, toVersion: sequence };
  const [queued] = await store.readStream(queueStream(account_id, event), range);
  return { ...WebhookQueued.data.parse(queued?.data), chainDepth: queued?.metadata.chainDepth };
}

/**
 * Whether the body is gone: a body is a JSON object, and another text takes its place once a person it is about is
 * erased (ADR 18).
 */
export const isErased = ({ body }: Pick<WebhookQueuedEvent['data'], 'body'>): boolean =>
  !body.startsWith('{');

/** An append to the stream of the job's delivery. */
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
