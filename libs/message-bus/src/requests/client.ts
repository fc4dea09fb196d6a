import { createInbox, type Msg, type Subscription } from '@nats-io/nats-core';
import {
  type BusConnectionOptions,
  connectToBus,
  maxPayloadOf,
  type NatsConnection,
} from '../connection/connection.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import { subscribe } from '../connection/subscribe.ts';
import { packFrames } from '../wire/frame.ts';
import { decodeLargeReply } from '../wire/large-reply.ts';
import {
  type BusClient,
  type BusReply,
  type BusRequest,
  RequestTimedOut,
  RequestTooLarge,
  ServiceUnavailable,
  TooManyInFlight,
} from '../wire/message.ts';
import { decodeReplyFrame } from '../wire/reply-frame.ts';
import { ReplyParts } from '../wire/reply-parts.ts';
import { encodeRequest } from '../wire/request-frame.ts';
import { gather } from './gather.ts';

export interface BusClientOptions {
  /** Requests sent and not yet answered; beyond it `request` rejects with `TooManyInFlight`. 10,000 when absent. */
  readonly maxInFlight?: number;
}

/** A client on a connection of its own, which `close` closes too. Rejects when no NATS server is there. */
export async function connectBusClient(options: BusConnectionOptions & BusClientOptions): Promise<BusClient> {
  const connection = await connectToBus(options);
  const client = createBusClient(connection, options);
  return {
    request: (request) => client.request(request),
    async close() {
      await client.close();
      await connection.close();
    },
  };
}

/** A client on a connection that others use too; `close` leaves the connection open. */
export function createBusClient(connection: NatsConnection, options: BusClientOptions = {}): BusClient {
  return new FrameClient(connection, options.maxInFlight ?? 10_000);
}

interface Waiting {
  readonly request: BusRequest;
  readonly resolve: (reply: BusReply) => void;
  readonly reject: (error: Error) => void;
  /** Milliseconds of the process's monotonic clock. */
  readonly expiresAt: number;
}

/**
 * So many leave in the middle of a burst: whom they wake works on them while the rest of it comes in, and copies of a
 * service, which share the work frame by frame, have a fair helping each.
 */
const fullFrame = 32;

/** How late a timeout may be noticed: one sweep over all requests instead of a timer for each. */
const sweepMs = 50;

const waitMsOf = ({ waitMs, context }: BusRequest): number => waitMs ?? context.timeoutMs;

class FrameClient implements BusClient {
  readonly #connection: NatsConnection;
  readonly #maxInFlight: number;
  readonly #inbox = createInbox();
  readonly #subscriptions: readonly Subscription[];
  readonly #stopWatching: () => void;
  /** By service: what is asked and not sent yet. */
  readonly #queues = new Map<string, Waiting[]>();
  #queued = 0;
  readonly #inFlight = new Map<number, Waiting>();
  readonly #parts = new ReplyParts((id) => this.#inFlight.has(id));
  #lastId = 0;
  #sweep: NodeJS.Timeout | undefined;
  #state: 'up' | 'down' | 'closed' = 'up';
  #onIdle: (() => void) | undefined;

  constructor(connection: NatsConnection, maxInFlight: number) {
    this.#connection = connection;
    this.#maxInFlight = maxInFlight;
    // Neither callback throws, and an inbox needs no permission: what goes wrong shows as a timeout.
    this.#subscriptions = [
      subscribe(connection, this.#inbox, (message) => this.#onReplies(message)),
      subscribe(connection, `${this.#inbox}.*`, (message) => this.#onNoResponders(message)),
    ];
    this.#stopWatching = watchConnection(connection, {
      onLost: () => this.#onConnectionLost('down'),
      onBack: () => {
        if (this.#state === 'down') this.#state = 'up';
      },
      onClosed: () => this.#onConnectionLost('closed'),
    });
  }

  request(request: BusRequest): Promise<BusReply> {
    if (this.#state !== 'up')
      return Promise.reject(new ServiceUnavailable(`The bus connection is ${this.#state}.`));
    if (this.#inFlight.size + this.#queued >= this.#maxInFlight)
      return Promise.reject(new TooManyInFlight('Too many requests are in flight.'));
    return new Promise((resolve, reject) => {
      const expiresAt = performance.now() + waitMsOf(request);
      const queue = this.#queues.get(request.service);
      if (queue) queue.push({ request, resolve, reject, expiresAt });
      else this.#queues.set(request.service, [{ request, resolve, reject, expiresAt }]);
      this.#queued += 1;
      if (this.#queued === 1)
        gather(
          () => this.#queued,
          () => this.#flush(),
        );
      else if (this.#queued === fullFrame) this.#flush();
    });
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#flush();
    this.#state = 'closed';
    if (this.#inFlight.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    clearInterval(this.#sweep);
    this.#stopWatching();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
  }

  #flush(): void {
    if (this.#queued === 0) return;
    this.#queued = 0;
    for (const [service, queue] of this.#queues) {
      this.#queues.delete(service);
      if (this.#state === 'up') this.#send(service, queue);
      else for (const { reject } of queue) reject(new ServiceUnavailable('The bus connection is down.'));
    }
    if (this.#inFlight.size > 0) this.#sweep ??= setInterval(() => this.#onSweep(), sweepMs);
  }

  /** Ids of a frame follow each other, so the reply subject's last token can name all of them: `<first>-<last>`. */
  #send(service: string, queue: readonly Waiting[]): void {
    const maxPayload = maxPayloadOf(this.#connection);
    const entries: string[] = [];
    let firstId = this.#lastId + 1;
    for (const waiting of queue) {
      const { subject, context, payload } = waiting.request;
      const entry = encodeRequest(this.#lastId + 1, subject, context, payload);
      if (entry.length * 3 > maxPayload && Buffer.byteLength(entry) > maxPayload) {
        waiting.reject(new RequestTooLarge(`A request to ${subject} is larger than ${maxPayload} bytes.`));
        continue;
      }
      this.#lastId += 1;
      entries.push(entry);
      this.#inFlight.set(this.#lastId, waiting);
    }
    for (const frame of packFrames(entries, maxPayload)) {
      const lastId = firstId + frame.entries - 1;
      try {
        this.#connection.publish(`mux.${service}`, frame.text, {
          reply: `${this.#inbox}.${firstId}-${lastId}`,
        });
      } catch (cause) {
        this.#endRange(
          firstId,
          lastId,
          () => new ServiceUnavailable('The request could not be sent.', { cause }),
        );
      }
      firstId = lastId + 1;
    }
  }

  #onReplies(message: Msg): void {
    const large = decodeLargeReply(message.data);
    if (large) this.#take(large.id)?.resolve(large.reply);
    else decodeReplyFrame(message.string(), (id, reply) => this.#take(id)?.resolve(reply), this.#parts);
  }

  /** NATS answers at once, with this status and nothing else, when nobody subscribes. */
  #onNoResponders(message: Msg): void {
    if (message.headers?.code !== 503) return;
    const [first, last] = message.subject.slice(this.#inbox.length + 1).split('-');
    this.#endRange(
      Number(first),
      Math.min(Number(last), this.#lastId),
      ({ service }) => new ServiceUnavailable(`No copy of ${service} is there.`),
    );
  }

  #endRange(first: number, last: number, errorOf: (request: BusRequest) => Error): void {
    for (let id = first; id <= last; id += 1) {
      const waiting = this.#take(id);
      waiting?.reject(errorOf(waiting.request));
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#inFlight.get(id);
    this.#parts.forget(id);
    if (waiting && this.#inFlight.delete(id) && this.#inFlight.size === 0) this.#onIdle?.();
    return waiting;
  }

  #onSweep(): void {
    if (this.#inFlight.size === 0) {
      clearInterval(this.#sweep);
      this.#sweep = undefined;
      return;
    }
    // After a stalled event loop the answers may be in the socket already: read them first.
    setImmediate(() => {
      const now = performance.now();
      for (const [id, { expiresAt, request }] of this.#inFlight)
        if (expiresAt <= now)
          this.#take(id)?.reject(
            new RequestTimedOut(`${request.subject} gave no answer in ${waitMsOf(request)} ms.`),
          );
    });
  }

  /** Answers to what was sent before are lost for good: whoever asked can ask again now instead of waiting. */
  #onConnectionLost(state: 'down' | 'closed'): void {
    if (this.#state !== 'closed') this.#state = state;
    for (const [id, { request }] of this.#inFlight)
      this.#take(id)?.reject(
        new RequestTimedOut(`The connection was lost before ${request.subject} was answered.`),
      );
  }
}
