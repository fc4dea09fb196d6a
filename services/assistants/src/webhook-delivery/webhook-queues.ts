import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, KeyedLanes } from '@parley/event-store';
import type { WebhookDeliveries } from '../views/webhook-deliveries.ts';
import { type QueueWebhook, queueStream, queueWebhook } from './queue-webhook.ts';

const maxRaces = 50;
const maxRemembered = 10_000;

export interface QueuedWebhook {
  /** The answer as it is on record: `{"delivery_id": …}`. */
  readonly reply: string;
  readonly position: number;
}

/** Queues webhooks; each gets the next number of its account and kind. */
export class WebhookQueues {
  readonly #store: EventStore;
  readonly #deliveries: WebhookDeliveries;
  /** Copies race for a number; within one they take turns. */
  readonly #lanes = new KeyedLanes();
  /** The last number of a queue as this process knows it: a hint, which the append checks. */
  readonly #last = new Map<string, number>();

  constructor(store: EventStore, deliveries: WebhookDeliveries) {
    this.#store = store;
    this.#deliveries = deliveries;
  }

  /** Once for each event: what is queued already is told again. */
  queue(command: QueueWebhook): Promise<QueuedWebhook> {
    const stream = queueStream(command.accountId, command.endpoint.event);
    return this.#lanes.run(stream, () => this.#queue(stream, command));
  }

  /** What would queue it now: for a reactor, which appends by itself, and asks again when it comes too late. */
  async plan(command: QueueWebhook): Promise<ReturnType<typeof queueWebhook>> {
    const { accountId, endpoint } = command;
    const last = await this.#deliveries.lastSequence({ accountId, event: endpoint.event });
    return queueWebhook(command, last + 1);
  }

  async #queue(stream: string, command: QueueWebhook): Promise<QueuedWebhook> {
    for (let race = 1; ; race += 1) {
      const last = this.#last.get(stream);
      const request = last === undefined ? await this.plan(command) : queueWebhook(command, last + 1);
      const result = await this.#store.append(request);
      switch (result.kind) {
        case 'appended':
          this.#remember(stream, result.version);
          return { reply: request.command.reply ?? '', position: result.position };
        case 'repeated':
          return { reply: result.reply ?? '', position: result.position };
        case 'conflict':
          this.#remember(stream, result.actualVersion);
          if (race >= maxRaces) throw new Error(`${stream} is written too often.`);
          if (race > 3) await sleep(Math.random() * 10);
          break;
        default:
          throw new Error(`A webhook was not queued: ${JSON.stringify(result)}`);
      }
    }
  }

  #remember(stream: string, version: number): void {
    this.#last.set(stream, version);
    const [oldest] = this.#last.size > maxRemembered ? this.#last.keys() : [];
    if (oldest !== undefined) this.#last.delete(oldest);
  }
}
