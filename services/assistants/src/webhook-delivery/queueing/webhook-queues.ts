import { createBatchLoader } from '@parley/batching';
import { type AppendResult, Contended, LostRaces } from '@parley/event-store';
import type { WebhookDeliveries } from '../../views/webhooks/webhook-deliveries.ts';
import { type QueueWebhook, type Queuing, queueStream, queueWebhook } from './queue-webhook.ts';

/** How many queues are remembered; the oldest one is forgotten first, which costs a look for its last number. */
const maxRemembered = 10_000;

/** A webhook that is in its queue. */
export interface QueuedWebhook {
  /** The answer as it is on record: `{"delivery_id": …}`. */
  readonly reply: string;
  readonly position: number;
}

type Queue = (command: QueueWebhook) => Promise<QueuedWebhook>;

/** Appends what queues a webhook; calls of one tick in their order. */
export type AppendQueuing = (queuing: Queuing) => Promise<AppendResult>;

/** Queues webhooks: each gets the next number of its account and kind. */
export class WebhookQueues {
  readonly #append: AppendQueuing;
  readonly #deliveries: WebhookDeliveries;
  readonly #queues = new Map<string, Queue>();

  constructor(append: AppendQueuing, deliveries: WebhookDeliveries) {
    this.#append = append;
    this.#deliveries = deliveries;
  }

  /** Queues a webhook once for its event: repeated, it is answered as the first time. */
  queue(command: QueueWebhook): Promise<QueuedWebhook> {
    const stream = queueStream(command.accountId, command.endpoint.event);
    let queue = this.#queues.get(stream);
    if (!queue) {
      queue = this.#newQueue(command);
      this.#queues.set(stream, queue);
      const [oldest] = this.#queues.size > maxRemembered ? this.#queues.keys() : [];
      if (oldest !== undefined) this.#queues.delete(oldest);
    }
    return queue(command);
  }

  #lastSequence({ accountId, endpoint }: QueueWebhook): Promise<number> {
    return this.#deliveries.lastSequence({ accountId, event: endpoint.event });
  }

  /**
   * Webhooks that come while others are written are numbered together and travel together, so that copies of the
   * service race for whole runs of numbers and not for each one.
   */
  #newQueue(about: QueueWebhook): Queue {
    /** The last number that this process knows of: a hint, which the append checks. */
    let last: number | undefined;

    return createBatchLoader(async (commands: readonly QueueWebhook[]) => {
      const queued = new Map<QueueWebhook, QueuedWebhook>();
      const races = new LostRaces();
      for (;;) {
        const open = commands.filter((command) => !queued.has(command));
        if (open.length === 0) return commands.map((command) => queued.get(command) as QueuedWebhook);
        const before = last ?? (await this.#lastSequence(about));
        const queuings = open.map((command, index) => queueWebhook(command, before + 1 + index));
        const results = await Promise.all(queuings.map((queuing) => this.#append(queuing)));
        last = lastNumber(results, before);
        for (const [index, command] of open.entries()) {
          const answer = queuedAs(results[index], queuings[index]?.append.command.reply);
          if (answer) queued.set(command, answer);
        }
        const isLost = results.every(({ kind }) => kind === 'conflict');
        // Webhooks that another copy has queued by now are answered as repeated the next time round.
        if (isLost && !(await races.mayRetry()))
          throw new Contended(
            `A webhook was not queued: ${queueStream(about.accountId, about.endpoint.event)}`,
          );
      }
    });
  }
}

/** The answer for a queued webhook; null when its number was taken. */
function queuedAs(result: AppendResult | undefined, reply: string | null | undefined): QueuedWebhook | null {
  switch (result?.kind) {
    case 'appended':
      return { reply: reply ?? '', position: result.position };
    case 'repeated':
      return { reply: result.reply ?? '', position: result.position };
    case 'conflict':
      return null;
    default:
      throw new Error(`A webhook was not queued: ${JSON.stringify(result)}`);
  }
}

/** The last number of the queue after these appends, as far as they tell. */
function lastNumber(results: readonly AppendResult[], before: number): number {
  const numbers = results.flatMap((result) => {
    if (result.kind === 'appended') return [result.version];
    return result.kind === 'conflict' ? [result.actualVersion] : [];
  });
  return Math.max(before, ...numbers);
}
