import { type AppendRequest, type AppendResult, type EventStore, KeyedLanes } from '@parley/event-store';
import type { WebhookDeliveries } from '../views/webhook-deliveries.ts';
import { type QueueWebhook, queueStream, queueWebhook } from './queue-webhook.ts';

const maxRaces = 20;

/** Queues webhooks; each gets the next number of its account and kind. */
export class WebhookQueues {
  readonly #store: EventStore;
  readonly #deliveries: WebhookDeliveries;
  /** Copies race for a number; within one they take turns. */
  readonly #lanes = new KeyedLanes();

  constructor(store: EventStore, deliveries: WebhookDeliveries) {
    this.#store = store;
    this.#deliveries = deliveries;
  }

  /** The delivery's id, the same again for what is queued already. */
  queue(command: QueueWebhook): Promise<{ readonly reply: string; readonly position: number }> {
    const { accountId, endpoint } = command;
    return this.#lanes.run(queueStream(accountId, endpoint.event), () => this.#queue(command));
  }

  /** What would queue it now: for a reactor, which appends by itself, and asks again when it comes too late. */
  async plan(command: QueueWebhook): Promise<AppendRequest> {
    const { accountId, endpoint } = command;
    const last = await this.#deliveries.lastSequence({ accountId, event: endpoint.event });
    return queueWebhook(command, last + 1);
  }

  async #queue(command: QueueWebhook) {
    for (let race = 1; ; race += 1) {
      const request = await this.plan(command);
      const result = await this.#store.append(request);
      const reply = replyOf(result) ?? request.command?.reply;
      if ((result.kind === 'appended' || result.kind === 'repeated') && typeof reply === 'string')
        return { reply, position: result.position };
      if (result.kind !== 'conflict' || race >= maxRaces)
        throw new Error(`A webhook was not queued: ${JSON.stringify(result)}`);
    }
  }
}

const replyOf = (result: AppendResult): string | null => (result.kind === 'repeated' ? result.reply : null);
