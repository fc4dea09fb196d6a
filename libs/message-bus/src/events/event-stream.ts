import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  PubHeaders,
  type StreamConfig,
} from '@nats-io/jetstream';
import { type MsgHdrs, MsgHdrsImpl, nanos } from '@nats-io/nats-core';
import type { RecordedEventMessage } from '@parley/contracts';
import { maxPayloadOf, type NatsConnection } from '../connection/connection.ts';
import { eventHeaders, eventSubject, positionHeader } from './event-message.ts';

/** Where a stream ends: the log position and id of its newest event (0 and '' when empty), and its sequence there. */
export interface StreamTail {
  readonly position: number;
  readonly eventId: string;
  readonly sequence: number;
  /** While events are sent again. */
  readonly again?: Again | undefined;
}

/**
 * Events up to and including `until` are in the stream already. JetStream drops what comes with a message id that it has
 * seen within its window, so the ids of this time have the mark of it: `<event id>/<mark>`.
 */
export interface Again {
  readonly mark: string;
  readonly until: number;
}

export interface EventStreamOptions {
  readonly connection: NatsConnection;
  readonly service: string;
  readonly maxBytes: number;
  readonly replicas: number;
  readonly onError: (error: unknown) => void;
}

const timeoutMs = 2000;
/**
 * JetStream holds every message id of this time in memory, to drop what comes again. Short: each message says which one
 * it follows, so that nothing is stored twice anyway.
 */
const duplicateWindowMs = 1_000;
/** Messages that somebody else sent to our subjects, or that were deleted: passed over when looking for the newest event. */
const maxForeignMessages = 100;
/**
 * Marks messages that are sent again: the mark, and up to which position. After a publisher has died, the next one
 * goes on by it.
 */
const againHeader = 'parley-again';

const isAgain = (event: RecordedEventMessage, again: Again | undefined): again is Again =>
  again !== undefined && event.position <= again.until;

const messageId = (event: RecordedEventMessage, again: Again | undefined): string =>
  isAgain(event, again) ? `${event.event_id}/${again.mark}` : event.event_id;

function parseAgain(header: string): Again | undefined {
  const [mark, until] = header.split(' ');
  return mark && Number(until) > 0 ? { mark, until: Number(until) } : undefined;
}

/** More than the headers of an event ever take. */
const headerRoomBytes = 4096;

/** The JetStream stream `EVT_<SERVICE>`: made when missing, appended to in order only. */
export class EventStream {
  readonly name: string;
  readonly #options: EventStreamOptions;
  readonly #config: Partial<StreamConfig> & { name: string };
  readonly #client: JetStreamClient;
  #manager: JetStreamManager | undefined;

  constructor(options: EventStreamOptions) {
    const { connection, service, maxBytes, replicas } = options;
    this.name = `EVT_${service.toUpperCase()}`;
    this.#options = options;
    this.#client = jetstream(connection, { timeout: timeoutMs });
    // No age limit: the newest message is the publisher's checkpoint and must stay.
    this.#config = {
      name: this.name,
      subjects: [`evt.${service}.>`],
      max_bytes: maxBytes,
      num_replicas: replicas,
      duplicate_window: nanos(duplicateWindowMs),
    };
  }

  async tail(): Promise<StreamTail> {
    const manager = await this.#managed();
    const { state } = await this.#ensure(manager);
    const oldest = Math.max(state.first_seq, state.last_seq - maxForeignMessages, 1);
    for (let seq = state.last_seq; seq >= oldest; seq -= 1) {
      const message = await manager.streams.getMessage(this.name, { seq });
      const position = Number(message?.header.get(positionHeader));
      if (position > 0)
        return {
          position,
          eventId: message?.header.get('ce-id') ?? '',
          sequence: state.last_seq,
          again: parseAgain(message?.header.get(againHeader) ?? ''),
        };
    }
    return { position: 0, eventId: '', sequence: state.last_seq };
  }

  async purge(): Promise<void> {
    const manager = await this.#managed();
    await manager.streams.purge(this.name);
  }

  /**
   * Appends events that follow `tail`, and returns the new tail. JetStream takes each only right behind its
   * predecessor, so neither a second publisher nor a lost message can bring them out of order, and the acknowledgement
   * of the last one stands for all. Rejects when not all of them were taken; `tail()` then tells how far it came.
   */
  async append(tail: StreamTail, events: readonly RecordedEventMessage[]): Promise<StreamTail> {
    const messages = events
      // Out of the pool of buffers: as a text the client would give each to a TextEncoder, for ten times as much.
      .map((event) => ({ event, body: Buffer.from(JSON.stringify(event)) }))
      .filter((it) => this.#fits(it));
    const last = messages.pop();
    let { sequence } = tail;
    const { again } = tail;
    let predecessorId: string | undefined;
    for (const { event, body } of messages) {
      const headers = this.#headers(event, sequence, predecessorId, again);
      this.#options.connection.publish(eventSubject(this.#options.service, event), body, { headers });
      predecessorId = messageId(event, again);
      sequence += 1;
    }
    if (last) {
      const headers = this.#headers(last.event, sequence, predecessorId, again);
      const subject = eventSubject(this.#options.service, last.event);
      const ack = await this.#client.publish(subject, last.body, { headers });
      sequence += 1;
      if (ack.seq !== sequence)
        throw new Error(`${this.name} has ${last.event.event_id} at ${ack.seq} already.`);
    }
    const { position = tail.position, event_id: eventId = tail.eventId } = events.at(-1) ?? {};
    return { position, eventId, sequence, again: again && position < again.until ? again : undefined };
  }

  /**
   * The sequence alone would not do: were the first message of a page refused because a foreign one had taken its place,
   * the second would find the sequence it expects. JetStream forgets the last id over a restart, so the first goes without.
   * Straight into a record: `append` would look at each header of each event with regular expressions.
   */
  #headers(
    event: RecordedEventMessage,
    lastSequence: number,
    predecessorId: string | undefined,
    again: Again | undefined,
  ): MsgHdrs {
    return MsgHdrsImpl.fromRecord({
      ...eventHeaders(this.#options.service, event),
      [PubHeaders.MsgIdHdr]: [messageId(event, again)],
      ...(isAgain(event, again) ? { [againHeader]: [`${again.mark} ${again.until}`] } : {}),
      [PubHeaders.ExpectedLastSeqHdr]: [String(lastSequence)],
      ...(predecessorId === undefined ? {} : { [PubHeaders.ExpectedLastMsgIdHdr]: [predecessorId] }),
    });
  }

  /** One event that NATS does not carry must not hold up all that follow it. */
  #fits({ event, body }: { event: RecordedEventMessage; body: Buffer }): boolean {
    if (body.length + headerRoomBytes <= maxPayloadOf(this.#options.connection)) return true;
    this.#options.onError(new Error(`Event ${event.event_id} is too large for NATS and was not published.`));
    return false;
  }

  async #managed(): Promise<JetStreamManager> {
    this.#manager ??= await jetstreamManager(this.#options.connection, {
      checkAPI: false,
      timeout: timeoutMs,
    });
    return this.#manager;
  }

  async #ensure(manager: JetStreamManager) {
    try {
      const info = await manager.streams.info(this.name);
      const wanted = this.#config;
      const isAsWanted =
        info.config.max_bytes === wanted.max_bytes &&
        info.config.num_replicas === wanted.num_replicas &&
        info.config.duplicate_window === wanted.duplicate_window;
      if (isAsWanted) return info;
      return await manager.streams.update(this.name, this.#config);
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
        return manager.streams.add(this.#config);
      throw error;
    }
  }
}
