import pg from 'pg';
import { type Clock, createClock } from '../clock.ts';
import type {
  AppendRequest,
  AppendResult,
  EventStore,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  RepeatedCommand,
  Upcaster,
} from '../port.ts';
import type { InlineProjector } from '../sql.ts';
import { createUpcast, createVersionStamp, type StampVersions } from '../upcasting.ts';
import { Appender } from './appender.ts';
import { migrate } from './migrate.ts';
import { Reader } from './reader.ts';
import { types, withSettings } from './session.ts';
import { WakeSource } from './wake.ts';
import { defaultTimeouts, Writer, type WriterTimeouts } from './writer.ts';

export interface PostgresEventStoreOptions {
  /** The service's own database as a URL; it must exist. */
  readonly connectionString: string;
  readonly upcasters?: readonly Upcaster[];
  readonly inlineProjector?: InlineProjector;
  /** Appends beyond this many waiting are refused with `AppendQueueFull`; 10,000 when absent. */
  readonly maxQueuedAppends?: number;
  /** Connections for reads; 8 when absent. The writer and the listener have their own. */
  readonly maxConnections?: number;
  /** When an append is given up; the defaults keep an append's answer below ten seconds. */
  readonly timeouts?: Partial<WriterTimeouts>;
  /** Told of connection losses and other background failures; nobody else hears of them. */
  readonly onError?: (error: unknown) => void;
}

export interface PostgresEventStore extends EventStore {
  /** For reads and for read models; `int8` comes as a number. */
  readonly pool: pg.Pool;
}

/** Migrates the schema `es`, then opens the store. Any number of processes may open one database at once. */
export async function createPostgresEventStore(
  options: PostgresEventStoreOptions,
): Promise<PostgresEventStore> {
  const { connectionString, inlineProjector, onError = () => undefined } = options;
  const upcast = createUpcast(options.upcasters);
  await migrate(connectionString);
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  let writerProcessId = 0;
  const connect = async () => {
    const writer = await Writer.connect({
      connectionString,
      projector: inlineProjector,
      upcast,
      timeouts,
      onError,
    });
    writerProcessId = writer.processId;
    return writer;
  };
  const pool = createPool(connectionString, options.maxConnections ?? 8, onError);
  const reader = new Reader(pool, upcast);
  const wake = new WakeSource({
    connectionString,
    onError,
    isOwn: (processId) => processId === writerProcessId,
  });
  const appender = new Appender(
    {
      connect,
      turnMs: timeouts.turnMs,
      findWritten: (append) => reader.findWritten(append),
      onWritten: (head, recorded) => wake.deliver(head, recorded),
      onError,
      ...(options.maxQueuedAppends !== undefined && { limits: { maxQueued: options.maxQueuedAppends } }),
    },
    await connect(),
  );
  return new Engine(pool, reader, appender, wake, createVersionStamp(options.upcasters));
}

function createPool(connectionString: string, max: number, onError: (error: unknown) => void): pg.Pool {
  const pool = new pg.Pool({
    connectionString: withSettings(connectionString, { idle_in_transaction_session_timeout: 60_000 }),
    application_name: 'parley',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    max,
    types,
  });
  pool.on('error', onError);
  return pool;
}

class Engine implements PostgresEventStore {
  readonly pool: pg.Pool;
  readonly #reader: Reader;
  readonly #appender: Appender;
  readonly #wake: WakeSource;
  readonly #clock: Clock;
  readonly #stamp: StampVersions;
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool, reader: Reader, appender: Appender, wake: WakeSource, stamp: StampVersions) {
    this.pool = pool;
    this.#reader = reader;
    this.#appender = appender;
    this.#wake = wake;
    this.#clock = createClock(pool);
    this.#stamp = stamp;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    return this.#appender.append(this.#stamp(request));
  }

  readStream(streamId: string, options?: ReadStreamOptions): Promise<RecordedEvent[]> {
    return this.#reader.readStream(streamId, options);
  }

  readAll(options: ReadAllOptions): Promise<RecordedEvent[]> {
    return this.#reader.readAll(options);
  }

  findCommand(commandId: string): Promise<RepeatedCommand | undefined> {
    return this.#reader.findCommand(commandId);
  }

  head(): Promise<number> {
    return this.#reader.head();
  }

  now(): Promise<Date> {
    return this.#clock.now();
  }

  onAppended(deliver: (events: readonly RecordedEvent[]) => void): () => void {
    return this.#wake.subscribe(deliver);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#appender.close();
    await this.#wake.close();
    await this.pool.end();
  }
}
