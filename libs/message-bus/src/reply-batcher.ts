import { maxPayloadOf, type NatsConnection } from './connection.ts';
import { packFrames } from './frame.ts';
import { encodeLargeReply, largeFrom } from './large-reply.ts';
import type { BusReply } from './message.ts';
import { encodeReply } from './reply-frame.ts';
import { encodeReplyParts } from './reply-parts.ts';

/** Sends the replies of one event-loop tick to one client together; a reply leaves when it is ready, never later. */
export class ReplyBatcher {
  readonly #connection: NatsConnection;
  readonly #onError: (error: unknown) => void;
  /** By reply subject. */
  readonly #replies = new Map<string, string[]>();
  /** Frames of large replies. */
  #alone: { readonly replyTo: string; readonly frame: Uint8Array }[] = [];

  constructor(connection: NatsConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  add(replyTo: string, id: number, reply: BusReply): void {
    if (this.#replies.size === 0 && this.#alone.length === 0) setImmediate(() => this.flush());
    const frame = this.#frameOf(id, reply);
    if (frame) {
      this.#alone.push({ replyTo, frame });
      return;
    }
    const added = this.#entriesOf(id, reply);
    const entries = this.#replies.get(replyTo);
    if (entries) {
      entries.push(...added);
      return;
    }
    this.#replies.set(replyTo, added);
  }

  flush(): void {
    const alone = this.#alone;
    this.#alone = [];
    for (const { replyTo, frame } of alone) this.#publish(replyTo, frame);
    for (const [replyTo, entries] of this.#replies) {
      this.#replies.delete(replyTo);
      for (const { text } of packFrames(entries, maxPayloadOf(this.#connection)))
        this.#publish(replyTo, text);
    }
  }

  #publish(replyTo: string, frame: string | Uint8Array): void {
    try {
      this.#connection.publish(replyTo, frame);
    } catch (error) {
      this.#onError(error);
    }
  }

  /** The frame of a reply that is better off without company, and still fits into a message. */
  #frameOf(id: number, reply: BusReply): Uint8Array | undefined {
    const maxPayload = maxPayloadOf(this.#connection);
    if (reply.kind === 'rejected' || reply.body.length < largeFrom || reply.body.length > maxPayload)
      return undefined;
    const frame = encodeLargeReply(id, reply);
    return frame.length <= maxPayload ? frame : undefined;
  }

  /** What NATS does not carry would cost the whole connection: it travels in parts, and has a bound all the same. */
  #entriesOf(id: number, reply: BusReply): string[] {
    // Before anything is put together with it: that may be longer than a string can be.
    if (reply.kind === 'ok' && reply.body.length > maxReplyLength) return this.#refuse(id, reply.body.length);
    const entry = encodeReply(id, reply);
    const maxPayload = maxPayloadOf(this.#connection);
    if (entry.length * 3 <= maxPayload || Buffer.byteLength(entry) <= maxPayload) return [entry];
    return reply.kind === 'ok' ? encodeReplyParts(id, reply, maxPayload) : this.#refuse(id, entry.length);
  }

  #refuse(id: number, length: number): string[] {
    this.#onError(new Error(`A reply of ${length} characters is larger than the bus carries.`));
    const rejection = { code: 'internal', details: { reason: 'reply_too_large' } };
    return [encodeReply(id, { kind: 'rejected', rejection })];
  }
}

/** Characters; what the caller must hold in memory, too. A page of a hundred of the largest leads is a little less. */
const maxReplyLength = 40 * 1024 * 1024;
