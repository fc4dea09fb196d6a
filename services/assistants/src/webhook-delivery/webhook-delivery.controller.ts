import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  invalidField,
  listWebhookDeliveries,
  type OperationInput,
  queueWebhook,
  type Rejection,
  redeliverWebhook,
  reject,
  type WebhookDeliveryEvent,
} from '@parley/contracts';
import {
  Aggregates,
  type Clock,
  type Decision,
  type EventStore,
  type SqlExecutor,
} from '@parley/event-store';
import { type BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  causeOf,
  EVENT_STORE,
  isStandIn,
  jsonReply,
  notFoundReply,
  QueryHandler,
  READ_POOL,
  rejectedReply,
  textReply,
  toReply,
} from '@parley/service-kit';
import type { z } from 'zod';
import {
  createWebhookDeliveries,
  type DeliveryRow,
  type WebhookDeliveries,
} from '../views/webhooks/webhook-deliveries.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { delivery, deliveryCategory, deliveryStream } from './delivery.ts';
import { isErased, readQueued } from './delivery-log.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { wasSetSince } from './endpoints/set-since.ts';
import { hasTimer } from './has-timer.ts';
import { WebhookQueues } from './queueing/webhook-queues.ts';
import { requestRedelivery } from './request-redelivery.ts';
import { attemptTimer, attemptTimerId } from './sending/attempt-timer.ts';

@Controller()
export class WebhookDeliveryController {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;
  readonly #deliveries: WebhookDeliveries;
  readonly #endpoints: Endpoints;
  readonly #pool: SqlExecutor;
  readonly #queues: WebhookQueues;
  readonly #store: EventStore;

  constructor(
    aggregates: Aggregates,
    @Inject(CLOCK) clock: Clock,
    @Inject(EVENT_STORE) store: EventStore,
    @Inject(READ_POOL) pool: SqlExecutor,
  ) {
    this.#aggregates = aggregates;
    this.#clock = clock;
    this.#deliveries = createWebhookDeliveries(pool);
    this.#endpoints = new Endpoints(aggregates);
    this.#pool = pool;
    this.#queues = new WebhookQueues(({ append }) => store.append(append), this.#deliveries);
    this.#store = store;
  }

  @QueryHandler(listWebhookDeliveries)
  async list(
    @Payload() input: OperationInput<typeof listWebhookDeliveries>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const before = readCursor(input.cursor);
    if (before === undefined)
      return rejectedReply(invalidField('cursor', 'The cursor field is not one that a list gave.'));
    const found = await this.#deliveries.list({
      accountId: accountOf(message),
      event: input.event,
      status: input.status,
      assistantId: input.assistant_id,
      before,
      // One more than is shown tells whether another page follows.
      limit: input.per_page + 1,
    });
    const shown = found.slice(0, input.per_page);
    const last = found.length > shown.length ? shown.at(-1) : undefined;
    const items = shown.map(({ body }) => body).join(',');
    return textReply(
      `{"data":[${items}],"next_cursor":${JSON.stringify(last ? writeCursor(last.position) : null)}}`,
    );
  }

  @CommandHandler(redeliverWebhook)
  async redeliver(
    @Payload() { id }: OperationInput<typeof redeliverWebhook>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const found = await this.#deliveries.find(id);
    if (found?.account_id !== accountId) return notFoundReply();
    const [url, queued, now] = await Promise.all([
      this.#endpoints.presentUrl(accountId, found),
      readQueued(this.#store, found),
      this.#clock.now(),
    ]);
    const cause = causeOf(message);
    const { event, sequence } = found;
    const correlation_id = cause.metadata.correlationId;
    const result = await this.#aggregates.execute({
      ...cause,
      streamId: deliveryStream(id),
      category: deliveryCategory,
      accountId,
      fold: delivery,
      // A repetition gets its first answer, whatever was turned off since; so refusals are decided here as well.
      decide: async (state): Promise<Decision<WebhookDeliveryEvent> | Rejection> => {
        if (url === null) return reject('webhook_off');
        if (isErased(queued)) return reject('webhook_erased');
        const queuedUrl = queued.endpoint.url;
        const isLookedAfter = await hasTimer(this.#pool, attemptTimerId(id));
        const setSince = await wasSetSince(this.#store, accountId, found, found.active_position);
        const onItsWay = { queuedUrl, isLookedAfter, wasSetSince: setSince };
        const events = requestRedelivery(state, { url, ...onItsWay });
        const about = { delivery_id: id, account_id: accountId, event, sequence, url };
        const job = { ...about, correlation_id, causation_id: null };
        return {
          events,
          timers: events.length > 0 ? [attemptTimer(job, { afterMs: 0 })] : [],
          reply: {
            message: 'Webhook is being sent again',
            data: events.length > 0 ? sentAgain(found, url, now) : JSON.parse(found.body),
          },
        };
      },
    });
    return toReply(result);
  }

  @CommandHandler(queueWebhook)
  async queue(
    @Payload() input: z.output<typeof queueWebhook.input>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const { account_id: accountId, event, event_id: eventId, occurred_at: occurredAt, fields } = input;
    const name = { event, assistant_id: null };
    // The person was erased while the webhook waited to be queued: nothing is told of them any more.
    const url = isStandIn(fields.customer_phone) ? null : await this.#endpoints.presentUrl(accountId, name);
    if (url === null) return jsonReply({ delivery_id: null });
    const { reply, position } = await this.#queues.queue({
      accountId,
      endpoint: { ...name, url },
      eventId,
      occurredAt,
      fields,
      metadata: causeOf(message).metadata,
    });
    return { kind: 'ok', body: reply, position };
  }
}

/** The delivery as lists show it once it is sent again. */
const sentAgain = ({ body }: DeliveryRow, url: string, now: Date) => ({
  ...JSON.parse(body),
  url,
  status: 'pending',
  next_attempt_at: now.toISOString(),
});
