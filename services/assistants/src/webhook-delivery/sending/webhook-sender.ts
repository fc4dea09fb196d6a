import { setTimeout as sleep } from 'node:timers/promises';
import { chainHeader, type WebhookEndpoint } from '@parley/contracts';
import type { EventMetadata } from '@parley/event-store';
import type { OutgoingHttp } from '@parley/outgoing-http';
import type { OwnershipKeeper } from '@parley/processing';
import type { WebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import { signWebhook } from '../../webhook-secret/sign-webhook.ts';
import type { WebhookSecrets } from '../../webhook-secret/webhook-secrets.ts';
import { delivery } from '../delivery.ts';
import {
  type DeliveryLog,
  deliveryAppend,
  isErased,
  type LoadedDelivery,
  loadDelivery,
  readQueued,
} from '../delivery-log.ts';
import type { Endpoints } from '../endpoints/endpoints.ts';
import { timestampOf } from '../item.ts';
import { notSent, outcomeOf } from './attempt-outcome.ts';
import { type AttemptJob, attemptTimer, attemptTimerId } from './attempt-timer.ts';
import type { Clocks } from './clocks.ts';
import type { Claim } from './line.ts';
import { markedAsReplay, replayHeader } from './replay-mark.ts';
import { type AttemptOutcome, type Report, reportAttempt } from './report-attempt.ts';
import { startAttempt } from './start-attempt.ts';

export interface SenderParts extends DeliveryLog {
  readonly http: OutgoingHttp;
  readonly ownership: OwnershipKeeper;
  readonly endpoints: Endpoints;
  readonly secrets: WebhookSecrets;
  readonly deliveries: WebhookDeliveries;
  readonly clocks: () => Promise<Clocks>;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborted when the process is to end. */
  readonly closing: AbortSignal;
}

/** After this a delivery is looked at again, in case the process that sends it has died. */
export const leaseMs = 5_000;

/** An attempt that has begun. */
interface Attempt {
  readonly job: AttemptJob;
  readonly metadata: EventMetadata;
  readonly number: number;
  readonly startedAt: string;
  readonly endpoint: WebhookEndpoint;
  /** What is sent and signed, byte by byte. */
  readonly body: string;
  /** What it is signed with. */
  readonly signing: readonly string[];
  readonly isReplay: boolean;
  /** Chain depth of the run of an automation that led to it; sent along, because the receiver may start another run. */
  readonly chainDepth: number | undefined;
  /** The delivery, with this attempt under way. */
  readonly loaded: LoadedDelivery;
}

/**
 * Makes one attempt: first its start is recorded, then the request is made, then the outcome is recorded. The lock of a
 * delivery dies with its process, so an attempt that is under way by the log while the lock is free was interrupted,
 * and is made again.
 */
export class WebhookSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  async send(claim: Claim): Promise<void> {
    const owned = await this.#parts.ownership.tryAcquire(`webhook-delivery:${claim.job.delivery_id}`);
    // Another copy is sending it. Its report ends the lease; without one, the delivery is looked at again.
    if (!owned) return;
    try {
      const attempt = await this.#start(claim);
      if (!attempt) return;
      const outcome = await this.#call(attempt);
      if (outcome) await this.#report(attempt, outcome);
    } finally {
      await owned.release();
    }
  }

  /**
   * Records the start of an attempt. Undefined when there is nothing to send, or somebody else has claimed the
   * delivery.
   */
  async #start({ job, leasedUntil, metadata }: Claim): Promise<Attempt | undefined> {
    const { clocks, store, endpoints, secrets } = this.#parts;
    const [loaded, queued, { platform }] = await Promise.all([
      loadDelivery(this.#parts, job.delivery_id),
      readQueued(store, job),
      clocks(),
    ]);
    const { state, version, startedAt } = loaded;
    const start = startAttempt(state, {
      endpoint: queued.endpoint,
      presentUrl: await endpoints.presentUrl(job.account_id, queued.endpoint),
      isErased: isErased(queued),
      interruptedSince: startedAt && timestampOf(startedAt),
    });
    const isSending = start.kind === 'send';
    const isReplay = state.backfillId !== null;
    const events = start.kind === 'settled' ? [] : start.events;
    const [result, signing] = await Promise.all([
      store.append(
        deliveryAppend(job, metadata, {
          events,
          expectedVersion: version,
          firesTimer: { id: attemptTimerId(job.delivery_id), dueAt: leasedUntil },
          ...(isSending ? { timers: [attemptTimer(job, { afterMs: leaseMs })] } : {}),
        }),
      ),
      isSending ? secrets.signingSecrets(job.account_id, platform, metadata) : [],
    ]);
    if (result.kind !== 'appended' || !isSending) return undefined;
    return {
      job,
      metadata,
      number: start.attempt,
      startedAt: timestampOf(result.recordedAt),
      endpoint: { ...queued.endpoint, url: start.url },
      body: isReplay ? markedAsReplay(queued.body) : queued.body,
      signing,
      isReplay,
      chainDepth: queued.chainDepth,
      loaded: {
        state: events.reduce(delivery.evolve, state),
        version: result.version,
        startedAt: result.recordedAt,
      },
    };
  }

  /**
   * Makes the request. Undefined when it was given up because the process ends: the attempt is made again elsewhere.
   */
  async #call({
    job,
    endpoint,
    body,
    signing,
    isReplay,
    chainDepth,
  }: Attempt): Promise<AttemptOutcome | undefined> {
    const { clocks, endpoints, http } = this.#parts;
    const now = await clocks();
    // Looked up right before the request: an endpoint that was turned off a moment ago gets nothing any more.
    const presentUrl = await endpoints.presentUrl(job.account_id, endpoint);
    if (presentUrl !== endpoint.url) return notSent(presentUrl);
    const result = await http.request({
      method: 'POST',
      url: endpoint.url,
      endpoint: `${job.account_id} ${endpoint.url}`,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Parley-Webhooks/1.0',
        ...(isReplay && { [replayHeader]: 'true' }),
        ...(chainDepth !== undefined && { [chainHeader]: String(chainDepth) }),
        ...signWebhook({ id: job.delivery_id, body, secrets: signing, timestamp: now.world }),
      },
      body,
    });
    if (result.kind === 'failed' && this.#parts.closing.aborted) return undefined;
    return outcomeOf(result, new Date(now.world.getTime() + result.durationMs));
  }

  /**
   * Records the outcome, trying until it is on record or the process ends, because the request cannot be taken back.
   */
  async #report(attempt: Attempt, outcome: AttemptOutcome): Promise<void> {
    for (let loaded = attempt.loaded, tries = 1; ; tries += 1) {
      try {
        const report = await this.#decide(attempt, outcome, loaded);
        if (!report || (await this.#append(attempt, report, loaded.version))) return;
        loaded = await loadDelivery(this.#parts, attempt.job.delivery_id);
      } catch (error) {
        if (this.#parts.closing.aborted || tries >= maxReportTries) throw error;
        await sleep(Math.min(100 * tries, 2_000));
      }
    }
  }

  async #decide(attempt: Attempt, outcome: AttemptOutcome, { state }: LoadedDelivery) {
    const { clocks, deliveries, random } = this.#parts;
    const { job, number, startedAt, endpoint } = attempt;
    const isFailure = outcome.error !== null;
    const [failingSince, now] = await Promise.all([
      isFailure ? deliveries.failingSince(job.account_id, endpoint) : null,
      isFailure ? clocks() : null,
    ]);
    return reportAttempt(state, {
      attempt: number,
      startedAt,
      endpoint,
      outcome,
      failingSince,
      now: now?.platform ?? new Date(startedAt),
      random: random(),
    });
  }

  /** Whether the report is on record; false when the delivery has changed meanwhile, and it has to be decided again. */
  async #append({ job, metadata }: Attempt, report: Report, version: number): Promise<boolean> {
    const { retryInMs, events } = report;
    const result = await this.#parts.store.append(
      deliveryAppend(job, metadata, {
        events,
        expectedVersion: version,
        ...(retryInMs === null && { cancelTimers: [attemptTimerId(job.delivery_id)] }),
        ...(typeof retryInMs === 'number' && { timers: [attemptTimer(job, { afterMs: retryInMs })] }),
      }),
    );
    return result.kind === 'appended';
  }
}

const maxReportTries = 100;
