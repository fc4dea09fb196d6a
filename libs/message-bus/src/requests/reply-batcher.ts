import { FairSemaphore } from '@parley/batching';
import { maxPayloadOf, type NatsConnection } from '../connection/connection.ts';
import { packFrames } from '../wire/frame.ts';
import { encodeLargeReply, largeFrom } from '../wire/large-reply.ts';
import type { BusReply, OkReply } from '../wire/message.ts';
import { encodeReply } from '../wire/reply-frame.ts';
import { encodeReplyParts } from '../wire/reply-parts.ts';
import { Shares } from './shares.ts';

/** Characters from which on a reply takes turns; and how many of such replies may wait for theirs, half of one account. */
const hugeFrom = 256 * 1024;
const maxHugeLength = 256 * 1024 * 1024;

/**
 * Sends the replies of one event-loop tick to one client together. A reply leaves when it is ready; a huge one when the
 * server has taken the account's last one, for until then that is in memory as bytes.
 */
export class ReplyBatcher {
  readonly #connection: NatsConnection;
  readonly #onError: (error: unknown) => void;
  /** By reply subject. */
  readonly #replies = new Map<string, string[]>();
  /** Frames of large replies. */
  #alone: { readonly replyTo: string; readonly frame: Uint8Array }[] = [];
  readonly #turns = new FairSemaphore<number | null>({ max: 4, maxPerKey: 1 });
  readonly #waiting = new Shares(maxHugeLength);
  readonly #huge = new Set<Promise<void>>();

  constructor(connection: NatsConnection, onError: (error: unknown) => void) {
    this.#connection = connection;
    this.#onError = onError;
  }

  /** `accountId`: whose request it was. */
  add(replyTo: string, id: number, reply: BusReply, accountId: number | null): void {
    if (reply.kind === 'ok' && reply.body.length >= hugeFrom && reply.body.length <= maxReplyLength)
      this.#addHuge(replyTo, id, reply, accountId);
    else this.#addSmall(replyTo, id, reply);
  }

  #addHuge(replyTo: string, id: number, reply: OkReply, accountId: number | null): void {
    const giveBack = this.#waiting.take(accountId, reply.body.length);
    if (!giveBack) {
      const rejection = { code: 'unavailable', retryAfterSeconds: 1 };
      this.#addSmall(replyTo, id, { kind: 'rejected', rejection });
      return;
    }
    const sending = this.#sendHuge(replyTo, id, reply, accountId)
      .catch(this.#onError)
      .finally(() => {
        giveBack();
        this.#huge.delete(sending);
      });
    this.#huge.add(sending);
  }

  #addSmall(replyTo: string, id: number, reply: BusReply): void {
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

  /** Resolves when all that was added has left. */
  async sent(): Promise<void> {
    this.flush();
    await Promise.all(this.#huge);
  }

  async #sendHuge(replyTo: string, id: number, reply: OkReply, accountId: number | null): Promise<void> {
    const giveBack = await this.#turns.acquire(accountId);
    try {
      const frame = this.#frameOf(id, reply);
      for (const part of frame ? [frame] : this.#entriesOf(id, reply)) this.#publish(replyTo, part);
      await this.#connection.flush();
    } finally {
      giveBack();
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
