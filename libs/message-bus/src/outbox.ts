import { maxPayloadOf, type NatsConnection } from './connection.ts';
import { packFrames } from './frame.ts';
import type { BusReply } from './message.ts';
import { encodeReply } from './reply-frame.ts';

/** Sends the replies of one event-loop tick to one client together; a reply leaves when it is ready, never later. */
export class Outbox {
  readonly #connection: NatsConnection;
  readonly #onError: (error: unknown) => void;
  /** By reply subject. */
  readonly #replies = new Map<string, string[]>();

  constructor(connection: NatsConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  add(replyTo: string, id: number, reply: BusReply): void {
    const entry = this.#bounded(id, encodeReply(id, reply));
    const entries = this.#replies.get(replyTo);
    if (entries) {
      entries.push(entry);
      return;
    }
    if (this.#replies.size === 0) setImmediate(() => this.flush());
    this.#replies.set(replyTo, [entry]);
  }

  flush(): void {
    for (const [replyTo, entries] of this.#replies) {
      this.#replies.delete(replyTo);
      for (const { text } of packFrames(entries)) {
        try {
          this.#connection.publish(replyTo, text);
        } catch (error) {
          this.#onError(error);
        }
      }
    }
  }

  /** What NATS does not carry would cost the whole connection: the caller gets a defect instead. */
  #bounded(id: number, entry: string): string {
    const maxPayload = maxPayloadOf(this.#connection);
    if (entry.length * 3 <= maxPayload || Buffer.byteLength(entry) <= maxPayload) return entry;
    this.#onError(new Error(`A reply is larger than the ${maxPayload} bytes that NATS carries.`));
    return encodeReply(id, {
      kind: 'rejected',
      rejection: { code: 'internal', details: { reason: 'reply_too_large' } },
    });
  }
}
