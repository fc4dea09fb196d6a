import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import {
  backfillWebhooks,
  invalidField,
  type OperationInput,
  type Rejection,
  reject,
  type WebhookBackfillEvent,
  type WebhookKind,
} from '@parley/contracts';
import { Aggregates, type Clock, type Decision, newEventId, type SqlExecutor } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { BusContext } from '@parley/message-bus/nest';
import {
  accountOf,
  CLOCK,
  CommandHandler,
  causeOf,
  READ_POOL,
  rejectedReply,
  toReply,
} from '@parley/service-kit';
import { createWebhookDeliveries, type WebhookDeliveries } from '../views/webhooks/webhook-deliveries.ts';
import { Endpoints } from '../webhook-delivery/endpoints/endpoints.ts';
import { hasTimer } from '../webhook-delivery/has-timer.ts';
import { type Backfill, backfill, backfillCategory, backfillStream } from './backfill.ts';
import { backfillTimerId, backfillTimerOf } from './backfill-timer.ts';
import { type Range, requestBackfill } from './request-backfill.ts';

/** How many webhooks one back-fill takes. */
const maxWebhooks = 10_000;

@Controller()
export class WebhookBackfillController {
  readonly #aggregates: Aggregates;
  readonly #clock: Clock;
  readonly #deliveries: WebhookDeliveries;
  readonly #endpoints: Endpoints;
  readonly #pool: SqlExecutor;

  constructor(aggregates: Aggregates, @Inject(CLOCK) clock: Clock, @Inject(READ_POOL) pool: SqlExecutor) {
    this.#aggregates = aggregates;
    this.#clock = clock;
    this.#deliveries = createWebhookDeliveries(pool);
    this.#endpoints = new Endpoints(aggregates);
    this.#pool = pool;
  }

  @CommandHandler(backfillWebhooks)
  async begin(
    @Payload() { event, since: asked }: OperationInput<typeof backfillWebhooks>,
    @Ctx() { message }: BusContext,
  ): Promise<BusReply> {
    const accountId = accountOf(message);
    const since = new Date(asked);
    if (since > (await this.#clock.now()))
      return rejectedReply(invalidField('since', 'The since field must not be in the future.'));
    const of = { accountId, event, since: since.toISOString() };
    const streamId = backfillStream(accountId, event, of.since);
    const [isOff, found] = await Promise.all([this.#isOff(accountId, event), this.#find(of)]);
    const cause = causeOf(message);
    const correlation_id = cause.metadata.correlationId;
    const backfillId = randomUUID();
    const begunId = newEventId();
    const result = await this.#aggregates.execute({
      ...cause,
      streamId,
      category: backfillCategory,
      accountId,
      fold: backfill,
      // A repetition gets its first answer, whatever was turned off since; so the refusal is decided here as well.
      decide: async (state): Promise<Decision<WebhookBackfillEvent> | Rejection> => {
        if (isOff) return reject('webhook_off');
        // Judged on the state that is decided on: where a race is lost, it is decided again on the winner's state.
        const isUnderWay = state !== null && (await this.#isUnderWay(accountId, state));
        const { range } = found;
        const nextSince = isUnderWay ? await this.#queuedAt(of, state.to_sequence + 1) : found.nextSince;
        const decided = requestBackfill(state, { ...of, range, nextSince, backfillId, isUnderWay });
        const job = {
          backfill_id: backfillId,
          account_id: accountId,
          event,
          since: of.since,
          correlation_id,
          causation_id: begunId,
        };
        const isBegun = decided.events.length > 0 && range !== null;
        return {
          ...decided,
          events: decided.events.map((each) => ({ ...each, eventId: begunId })),
          timers: isBegun ? [backfillTimerOf({ ...job, ...range })] : [],
        };
      },
    });
    return toReply(result);
  }

  async #isUnderWay(
    accountId: number,
    { backfill_id, event, from_sequence: from, to_sequence: to }: NonNullable<Backfill>,
  ): Promise<boolean> {
    return (
      (await hasTimer(this.#pool, backfillTimerId(backfill_id))) ||
      (await this.#deliveries.pendingInRange({ accountId, event, from, to }))
    );
  }

  /**
   * Whether the account's own webhook is off. False for webhooks of assistants, which are looked at one by one when
   * they are sent.
   */
  async #isOff(accountId: number, event: WebhookKind): Promise<boolean> {
    if (event !== 'chatapp_voice') return false;
    return (await this.#endpoints.presentUrl(accountId, { event, assistant_id: null })) === null;
  }

  /**
   * The webhooks that were queued since the moment: from the oldest, as many as one back-fill takes; `nextSince` is
   * when the first of the others was queued.
   */
  async #find(
    of: Queue & { readonly since: string },
  ): Promise<{ readonly range: Range | null; readonly nextSince: string | null }> {
    const [first, last] = await Promise.all([
      this.#deliveries.firstSince(of),
      this.#deliveries.lastSequence(of),
    ]);
    if (!first) return { range: null, nextSince: null };
    const range = { from: first.sequence, to: Math.min(last, first.sequence + maxWebhooks - 1) };
    return { range, nextSince: range.to < last ? await this.#queuedAt(of, range.to + 1) : null };
  }

  /** When the webhook with this number was queued; null for a number that was not given yet. */
  async #queuedAt({ accountId, event }: Queue, sequence: number): Promise<string | null> {
    const [row] = await this.#deliveries.inRange({ accountId, event, from: sequence, to: sequence });
    const item: { readonly created_at: string } | null = row ? JSON.parse(row.body) : null;
    return item?.created_at ?? null;
  }
}

interface Queue {
  readonly accountId: number;
  readonly event: WebhookKind;
}
