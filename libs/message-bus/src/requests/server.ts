import { EventEmitter } from 'node:events';
import type { Msg, Subscription } from '@nats-io/nats-core';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { type BusConnectionOptions, connectToBus, type NatsConnection } from '../connection/connection.ts';
import { watchConnection } from '../connection/connection-watch.ts';
import { subscribe } from '../connection/subscribe.ts';
import { decodeContext } from '../wire/headers.ts';
import type { BusReply, MessageContext } from '../wire/message.ts';
import { isRejection } from '../wire/rejection-text.ts';
import { decodeRequestFrame } from '../wire/request-frame.ts';
import { headerReader, respond } from '../wire/single-message.ts';
import { BusContext } from './bus-context.ts';
import { Dispatcher, type HandledRequest } from './dispatcher.ts';
import { drain } from './drain.ts';
import { toRejection, toReply } from './handler-result.ts';
import { ReplyBatcher } from './reply-batcher.ts';

export interface BusServerOptions extends Partial<BusConnectionOptions> {
  /** The queue group; `cmd.<service>.>`, `qry.<service>.>` and `mux.<service>` are answered. */
  readonly service: string;
  /** A connection that others use too: `close` leaves it open. Without it, one is made from `servers`. */
  readonly connection?: NatsConnection;
  /** Requests handled at the same time; further ones wait for their turn. 1,024 when absent. */
  readonly maxRunning?: number;
  /** Requests waiting for their turn; further ones are rejected as `unavailable`. 8,192 when absent. */
  readonly maxWaiting?: number;
  /** `close` waits at most this long for running requests. 10,000 when absent. */
  readonly drainTimeoutMs?: number;
  /** Called synchronously for every request: must be cheap and must not throw. */
  readonly onHandled?: (request: HandledRequest) => void;
}

type BusServerEvents = { disconnect: () => void; reconnect: () => void };

/** Nest transport strategy: `NestFactory.createMicroservice(module, { strategy: new BusServer({...}) })`. */
export class BusServer extends Server<BusServerEvents> implements CustomTransportStrategy {
  override readonly transportId = Symbol('parley-bus');
  readonly #options: BusServerOptions;
  readonly #dispatcher: Dispatcher;
  readonly #events = new EventEmitter();
  readonly #subscriptions: Subscription[] = [];
  #connection: NatsConnection | undefined;
  #replies: ReplyBatcher | undefined;

  constructor(options: BusServerOptions) {
    super();
    this.#options = options;
    this.#dispatcher = new Dispatcher({
      maxRunning: options.maxRunning ?? 1024,
      maxWaiting: options.maxWaiting ?? 8192,
      handle: (subject, payload, context) => this.#handle(subject, payload, context),
      onFailure: (error, subject) => this.#onFailure(error, subject),
      onHandled: options.onHandled,
    });
  }

  /** Requests being handled, and requests waiting for their turn. */
  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#dispatcher.running, waiting: this.#dispatcher.waiting };
  }

  listen(callback: (error?: unknown) => void): void {
    this.#start().then(() => callback(), callback);
  }

  /** Takes nothing new, finishes what runs, sends its replies, then closes the connection if it is its own. */
  async close(): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    await drain(connection, this.#subscriptions, this.#options.drainTimeoutMs ?? 10_000, async () => {
      await this.#dispatcher.idle();
      await this.#replies?.sent();
    });
    if (connection !== this.#options.connection) await connection.close();
  }

  on<K extends keyof BusServerEvents>(event: K, callback: BusServerEvents[K]): void {
    this.#events.on(event, callback);
  }

  /** The NATS connection. */
  unwrap<T = NatsConnection>(): T {
    if (!this.#connection) throw new Error('The bus server does not listen.');
    // Nest's signature leaves the type to the caller.
    return this.#connection as T;
  }

  async #start(): Promise<void> {
    const { service, connection: shared, servers } = this.#options;
    this.#refuseUnreachableHandlers(service);
    if (!shared && !servers) throw new Error('A bus server needs a connection or servers.');
    const connection =
      shared ??
      (await connectToBus({ ...this.#options, servers: servers ?? [], name: this.#options.name ?? service }));
    const onError = (error: unknown) => this.logger.error(error);
    const replies = new ReplyBatcher(connection, onError);
    this.#connection = connection;
    this.#replies = replies;
    const listenTo = (subject: string, onMessage: (message: Msg) => void) =>
      this.#subscriptions.push(subscribe(connection, subject, onMessage, onError, service));
    listenTo(`mux.${service}`, (message) => this.#onFrame(replies, message));
    listenTo(`cmd.${service}.>`, (message) => this.#onSingle(connection, message, onError));
    listenTo(`qry.${service}.>`, (message) => this.#onSingle(connection, message, onError));
    for (const [pattern, handler] of this.messageHandlers)
      if (handler.isEventHandler && !isRequestSubject(service, pattern))
        listenTo(pattern, (message) => this.#onEvent(pattern, message));
    watchConnection(connection, {
      onLost: () => this.#events.emit('disconnect'),
      onBack: () => this.#events.emit('reconnect'),
    });
    await connection.flush();
  }

  /** A handler that no request can reach is a defect of the service: better told at the start. */
  #refuseUnreachableHandlers(service: string): void {
    for (const [pattern, handler] of this.messageHandlers)
      if (!handler.isEventHandler && !isRequestSubject(service, pattern))
        throw new Error(`The handler of ${pattern} is not below cmd.${service} or qry.${service}.`);
  }

  /** Replies of several frames of one client travel together: to the frame's reply subject without its last token. */
  #onFrame(replies: ReplyBatcher, message: Msg): void {
    const receivedAt = performance.now();
    const replyTo = message.reply?.slice(0, message.reply.lastIndexOf('.'));
    const faults = decodeRequestFrame(message.string(), ({ id, subject, context, payload }) => {
      const { accountId } = context;
      const answer = replyTo
        ? (reply: BusReply) => replies.add(replyTo, id, reply, accountId)
        : () => undefined;
      this.#dispatcher.admit({ subject, context, payload, receivedAt, answer });
    });
    if (faults > 0) this.logger.error(`${faults} requests of a frame could not be read.`);
  }

  #onSingle(connection: NatsConnection, message: Msg, onError: (error: unknown) => void): void {
    const { subject } = message;
    const answer = (reply: BusReply) => respond(connection, message, reply, onError);
    const context = decodeContext(subject, headerReader(message));
    if (isRejection(context)) answer({ kind: 'rejected', rejection: context });
    else
      this.#dispatcher.admit({
        subject,
        context,
        payload: message.string(),
        receivedAt: performance.now(),
        answer,
      });
  }

  #onEvent(pattern: string, message: Msg): void {
    const context = decodeContext(message.subject, headerReader(message));
    if (isRejection(context)) return;
    const event = { subject: pattern, context, payload: message.string(), receivedAt: performance.now() };
    this.#dispatcher.admit({ ...event, answer: () => undefined });
  }

  async #handle(subject: string, payload: unknown, message: MessageContext): Promise<BusReply> {
    const handler = this.messageHandlers.get(subject);
    const context = new BusContext(message, subject);
    if (!handler) {
      // Normal while versions are mixed (a rolling update): the caller may find a copy that knows the subject.
      this.logger.warn(`There is no handler of ${subject}.`);
      return { kind: 'rejected', rejection: { code: 'unavailable', details: { reason: 'no_handler' } } };
    }
    if (handler.isEventHandler) {
      await this.handleEvent(subject, { pattern: subject, data: payload }, context);
      return { kind: 'ok', body: 'null' };
    }
    return new Promise((resolve, reject) => {
      this.runWithProcessingHooks(context, async (end) => {
        try {
          resolve(await toReply(await handler(payload, context)));
        } catch (error) {
          reject(error);
        }
        end();
      });
    });
  }

  /** Nest's own filter has logged an exception already and hands over a plain object; an `Error` comes from elsewhere. */
  #onFailure(error: unknown, subject: string): BusReply {
    if (error instanceof Error) this.logger.error(`${subject}: ${error.message}`, error.stack);
    return { kind: 'rejected', rejection: toRejection(error) };
  }
}

const isRequestSubject = (service: string, subject: string): boolean =>
  subject.startsWith(`cmd.${service}.`) || subject.startsWith(`qry.${service}.`);
