import { setTimeout as sleep } from 'node:timers/promises';
import type { Aggregates, AppendResult } from '@parley/event-store';
import { createOutgoingHttp } from '@parley/outgoing-http';
import { metadataOfTimer, type TimerHandler } from '@parley/processing';
import type { BackgroundParts } from '@parley/service-kit';
import type { WebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import type { WebhookSecrets } from '../../webhook-secret/webhook-secrets.ts';
import { deliveryAppend } from '../delivery-log.ts';
import type { Endpoints } from '../endpoints/endpoints.ts';
import type { Queuing } from '../queueing/queue-webhook.ts';
import { attemptTimer, attemptTimerId, attemptTimerKind, readAttemptJob } from './attempt-timer.ts';
import { createClocks } from './clocks.ts';
import { Lanes } from './lanes.ts';
import type { Claim, Unclaimed } from './line.ts';
import { leaseMs, WebhookSender } from './webhook-sender.ts';

export interface DelivererParts extends Pick<BackgroundParts, 'ownership' | 'sql' | 'store'> {
  readonly config: Pick<BackgroundParts['config'], 'ALLOW_LOOPBACK_REQUESTS'>;
  readonly logger: Pick<BackgroundParts['logger'], 'warn'>;
  readonly aggregates: Aggregates;
  readonly deliveries: WebhookDeliveries;
  readonly endpoints: Endpoints;
  readonly secrets: WebhookSecrets;
}

export interface Deliverer {
  /**
   * Appends what queues a webhook. Where its endpoint has a free place, the webhook is claimed with it and sent as soon
   * as it is on record; otherwise its timer brings it.
   */
  queue(queuing: Queuing): Promise<AppendResult>;
  readonly timers: Readonly<Record<string, TimerHandler>>;
  /** Resolves when nothing is being sent. */
  close(): Promise<void>;
}

/** How many requests one endpoint gets at a time, of all copies of the service together. */
const maxPerEndpoint = 4;
const maxWaiting = 2_000;
const maxWaitingPerAccount = maxWaiting / 2;
const maxWaitingPerLane = 100;
const maxPutOff = 10_000;
/** How long a process that ends waits for what is being sent. */
const graceMs = 5_000;

/**
 * Sends webhooks when their timers are due, or when they are queued. A timer that fires is moved ahead by a lease, and
 * the delivery joins the line of its endpoint; its outcome cancels the timer or moves it to the next attempt. If the
 * process dies in between, the lease runs out and the delivery is looked at again. A delivery that finds no room in the
 * line comes back by its timer when its turn is near, or earlier when the line has become short.
 */
export function createDeliverer(parts: DelivererParts): Deliverer {
  const { config, logger, ownership, sql, store } = parts;
  const closing = new AbortController();
  const clocks = createClocks(sql);
  const http = createOutgoingHttp({ allowLoopback: config.ALLOW_LOOPBACK_REQUESTS, maxPerEndpoint });
  const sender = new WebhookSender({ ...parts, clocks, http, random: Math.random, closing: closing.signal });
  const lanes = new Lanes({
    maxPerLane: maxPerEndpoint,
    maxWaiting,
    maxWaitingPerAccount,
    maxWaitingPerLane,
    maxPutOff,
    async takePlace(lane) {
      for (let place = 0; place < maxPerEndpoint; place += 1) {
        const taken = await ownership.tryAcquire(`webhook-lane:${place}:${lane}`);
        if (taken) return taken;
      }
      return undefined;
    },
    fetch: takeUp,
    async run(claim) {
      try {
        if (await (claim.isQueued ?? true)) await sender.send(claim);
      } catch (error) {
        const { delivery_id } = claim.job;
        logger.warn({ err: error, delivery_id }, 'a webhook could not be sent; trying again');
      }
    },
  });

  async function queue({ append, job }: Queuing): Promise<AppendResult> {
    // Whether there is a place or not, so that calls of one tick stay in their order.
    const { platform } = await clocks();
    if (!lanes.isFree({ job })) return store.append(append);
    const leasedUntil = new Date(platform.getTime() + leaseMs).toISOString();
    const timer = attemptTimer(job, { at: leasedUntil });
    const appending = store.append({ ...append, timers: [timer] });
    // Who queues it hears of a failure.
    const isQueued = appending.then(
      ({ kind }) => kind === 'appended',
      () => false,
    );
    lanes.offer({ job, leasedUntil, metadata: metadataOfTimer(timer), isQueued });
    return appending;
  }

  /**
   * Has a delivery join its endpoint's line, or puts it off. Both move its timer; does nothing where somebody else has
   * moved it.
   */
  async function takeUp({ job, dueAt, metadata }: Unclaimed): Promise<void> {
    const { platform } = await clocks();
    const until = (ms: number) => new Date(platform.getTime() + ms).toISOString();
    const claim: Claim = { job, metadata, leasedUntil: until(leaseMs) };
    const putOffMs = lanes.putOffMs(claim);
    const at = putOffMs === null ? claim.leasedUntil : until(putOffMs);
    const result = await store.append(
      deliveryAppend(job, metadata, {
        events: [],
        expectedVersion: 'any',
        firesTimer: { id: attemptTimerId(job.delivery_id), dueAt },
        timers: [attemptTimer(job, { at })],
      }),
    );
    if (result.kind === 'appended') {
      if (putOffMs === null) lanes.offer(claim);
      else lanes.remember({ job, metadata, dueAt: at });
    } else if (result.kind !== 'timer-gone') {
      throw new Error(`A delivery could not be claimed: ${JSON.stringify(result)}`);
    }
  }

  const onTimer: TimerHandler = async (timer, { metadata }) => {
    await takeUp({ job: readAttemptJob(timer), dueAt: timer.dueAt, metadata });
    return undefined;
  };

  return {
    queue,
    timers: { [attemptTimerKind]: onTimer },
    async close() {
      const idle = lanes.close();
      await Promise.race([idle, sleep(graceMs, undefined, { ref: false })]);
      closing.abort();
      await http.close();
      await idle;
    },
  };
}
