import { type WebhookDeliveryEvent, webhookKinds } from '@parley/contracts';
import {
  type Aggregates,
  type Decision,
  type EventMetadata,
  type EventStore,
  mustBeDone,
  type SqlExecutor,
  type TimerRequest,
} from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { v5 as uuidv5 } from 'uuid';
import { z } from 'zod';
import type { DeliveryRow, WebhookDeliveries } from '../views/webhooks/webhook-deliveries.ts';
import { delivery, deliveryCategory, deliveryStream, isOnItsWayTo } from '../webhook-delivery/delivery.ts';
import { isErased, readQueued } from '../webhook-delivery/delivery-log.ts';
import type { Endpoints } from '../webhook-delivery/endpoints/endpoints.ts';
import { wasSetSince } from '../webhook-delivery/endpoints/set-since.ts';
import { hasTimer } from '../webhook-delivery/has-timer.ts';
import { attemptTimer, attemptTimerId } from '../webhook-delivery/sending/attempt-timer.ts';
import { backfillCategory, backfillStream } from './backfill.ts';

const kind = 'webhook-backfill';
/**
 * How many webhooks are handed on at a time, a second apart, so that a receiver that has just come back is not overrun.
 */
const batchSize = 50;
const paceMs = 1_000;

const payload = z.object({
  backfill_id: z.uuid(),
  account_id: z.int(),
  event: z.enum(webhookKinds),
  since: z.string(),
  /** The first and the last number of the sequence that are left, both included. */
  from: z.int(),
  to: z.int(),
  correlation_id: z.string(),
  /** The event that began the back-fill. */
  causation_id: z.string().nullable().default(null),
});

/** A back-fill, with what is left of it to do. */
export type BackfillJob = z.output<typeof payload>;

export const backfillTimerId = (backfillId: string): string => `${kind}:${backfillId}`;

/** The one timer of a back-fill under way, which names what comes next. */
export const backfillTimerOf = (job: BackfillJob, afterMs = 0): TimerRequest => ({
  id: backfillTimerId(job.backfill_id),
  kind,
  due: { afterMs },
  payload: job,
});

export interface BackfillParts {
  readonly aggregates: Aggregates;
  readonly deliveries: WebhookDeliveries;
  readonly endpoints: Endpoints;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/**
 * Has the webhooks of a back-fill sent again, a batch at a time; each once, by a command id made of the back-fill's id
 * and its own.
 */
export function backfillTimer(parts: BackfillParts): Record<typeof kind, TimerHandler> {
  return {
    [kind]: async (timer, { metadata }) => {
      const job = payload.parse(timer.payload);
      const { backfill_id, account_id: accountId, event, from, to } = job;
      const last = Math.min(from + batchSize - 1, to);
      const rows = await parts.deliveries.inRange({ accountId, event, from, to: last });
      await Promise.all(rows.map((row) => replay(parts, job, row, metadata)));
      return {
        streamId: backfillStream(accountId, event, job.since),
        category: backfillCategory,
        accountId,
        events: last < to ? [] : [{ type: 'WebhookBackfillFinished', data: { backfill_id } }],
        expectedVersion: 'any',
        metadata,
        timers: last < to ? [backfillTimerOf({ ...job, from: last + 1 }, paceMs)] : [],
      };
    },
  };
}

/**
 * Has one webhook sent again; not where webhooks are off by now, its body is erased, or it is on its way there anyway.
 */
async function replay(
  { aggregates, endpoints, sql, store }: BackfillParts,
  { backfill_id, correlation_id }: BackfillJob,
  row: DeliveryRow,
  metadata: EventMetadata,
): Promise<void> {
  const { id, account_id, event, sequence, active_position } = row;
  const [url, queued] = await Promise.all([endpoints.presentUrl(account_id, row), readQueued(store, row)]);
  if (url === null || isErased(queued)) return;
  const job = { delivery_id: id, account_id, event, sequence, url, correlation_id, causation_id: null };
  const result = await aggregates.execute({
    streamId: deliveryStream(id),
    category: deliveryCategory,
    accountId: account_id,
    fold: delivery,
    metadata,
    command: { commandId: uuidv5(id, backfill_id), fingerprint: null },
    decide: async (state): Promise<Decision<WebhookDeliveryEvent>> => {
      const isLookedAfter = await hasTimer(sql, attemptTimerId(id));
      const setSince = await wasSetSince(store, account_id, row, active_position);
      const onItsWay = { queuedUrl: queued.endpoint.url, isLookedAfter, wasSetSince: setSince };
      return isOnItsWayTo(state, url, onItsWay)
        ? { events: [], reply: {} }
        : {
            events: [{ type: 'WebhookReplayRequested', data: { url, backfill_id } }],
            timers: [attemptTimer(job, { afterMs: 0 })],
            reply: {},
          };
    },
  });
  mustBeDone(result, `${id} could not be sent again`);
}
