import pg from 'pg';
import { type Clock, createClock } from '../clock.ts';
import { createDecoder } from '../decode-events.ts';
import { collectPage } from '../log-page.ts';
import type {
  AppendRequest,
  AppendResult,
  EventStore,
  LogPage,
  Moment,
  ReadAllOptions,
  ReadPageOptions,
  ReadStreamOptions,
  RecordedEvent,
  RepeatedCommand,
  Snapshot,
  Upcaster,
} from '../port.ts';
import type { EventSeals } from '../seals.ts';
import type { InlineProjector } from '../sql.ts';
import { createUpcast, createVersionStamp, type StampVersions } from '../upcasting.ts';
import { Appender } from './append/appender.ts';
import { Writer } from './append/writer.ts';
import { PrimaryClient } from './connection/primary-client.ts';
import { guardReading, keptAlive, lostAtRest, types, withSettings } from './connection/session.ts';
import { WakeSource } from './connection/wake.ts';
import { defaultTimeouts, type WriterTimeouts } from './connection/writer-client.ts';
import { migrate } from './migrate.ts';
import { Reader } from './read/reader.ts';
import { findSnapshot, keepSnapshot } from './read/snapshots.ts';

export interface PostgresEventStoreOptions {
  /** The service's own database as a URL; it must exist. */
  readonly connectionString: string;
  readonly upcasters?: readonly Upcaster[];
  /** Nothing is sealed when absent. */
  readonly seals?: EventSeals | undefined;
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
  /** For reads and for views; `int8` comes as a number. */
  readonly pool: pg.Pool;
}

/** Migrates the schema `es`, then opens the store. Any number of processes may open one database at once. */
export async function createPostgresEventStore(
  options: PostgresEventStoreOptions,
): Promise<PostgresEventStore> {
  const { connectionString, inlineProjector, seals, onError = () => undefined } = options;
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
  const reader = new Reader(pool, createDecoder(options.upcasters, seals));
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
  return new Engine({
    pool,
    reader,
    appender,
    wake,
    seals,
    stamp: createVersionStamp(options.upcasters),
  });
}

function createPool(connectionString: string, max: number, onError: (error: unknown) => void): pg.Pool {
  const pool = new pg.Pool({
    Client: PrimaryClient,
    connectionString: withSettings(connectionString, { idle_in_transaction_session_timeout: 60_000 }),
    application_name: 'parley',
    connectionTimeoutMillis: 5_000,
    max,
    types,
    ...keptAlive,
  });
  pool.on('error', lostAtRest(onError));
  pool.on('connect', (client) => {
    if (client instanceof pg.Client) guardReading(client.connection);
  });
  return pool;
}

interface EngineParts {
  readonly pool: pg.Pool;
  readonly reader: Reader;
  readonly appender: Appender;
  readonly wake: WakeSource;
  readonly seals: EventSeals | undefined;
  readonly stamp: StampVersions;
}

class Engine implements PostgresEventStore {
  readonly pool: pg.Pool;
  readonly #reader: Reader;
  readonly #appender: Appender;
  readonly #wake: WakeSource;
  readonly #seals: EventSeals | undefined;
  readonly #clock: Clock;
  readonly #stamp: StampVersions;
  #closing: Promise<void> | undefined;

  constructor(parts: EngineParts) {
    const { pool, reader, appender, wake, seals, stamp } = parts;
    this.pool = pool;
    this.#reader = reader;
    this.#appender = appender;
    this.#wake = wake;
    this.#seals = seals;
    this.#clock = createClock(pool);
    this.#stamp = stamp;
  }

  append(request: AppendRequest): Promise<AppendResult> {
    const sealed = this.#stored(request);
    if (!(sealed instanceof Promise)) return this.#appender.append(sealed);
    return sealed.then(async (stored) => asAsked(await this.#appender.append(stored), request, stored));
  }

  async appendRun(
    requests: readonly AppendRequest[],
  ): Promise<readonly PromiseSettledResult<AppendResult>[]> {
    const stored = await Promise.allSettled(requests.map(async (request) => this.#stored(request)));
    return Promise.allSettled(this.#appender.appendRun(stored));
  }

  readStream(streamId: string, options?: ReadStreamOptions): Promise<RecordedEvent[]> {
    const name = this.#seals?.streamIdOf(streamId) ?? streamId;
    return name instanceof Promise
      ? name.then((known) => this.#reader.readStream(known, options))
      : this.#reader.readStream(name, options);
  }

  async readAll({ streamId, ...options }: ReadAllOptions): Promise<RecordedEvent[]> {
    if (streamId === undefined) return this.#reader.readAll(options);
    return this.#reader.readAll({ ...options, streamId: await this.#nameOf(streamId) });
  }

  /** Where a name holds a number, it is kept under another one. */
  async #nameOf(streamId: string): Promise<string> {
    return (await this.#seals?.streamIdOf(streamId)) ?? streamId;
  }

  readPage(options: ReadPageOptions): Promise<LogPage> {
    return collectPage(options, (after, limit) => this.readAll({ ...options, after, limit }));
  }

  findCommand(commandId: string): Promise<RepeatedCommand | undefined> {
    return this.#reader.findCommand(commandId);
  }

  async findSnapshot(streamId: string, form: string, moment: Moment): Promise<Snapshot | undefined> {
    return findSnapshot(this.pool, await this.#nameOf(streamId), form, moment);
  }

  async keepSnapshot(streamId: string, form: string, snapshot: Snapshot): Promise<void> {
    await keepSnapshot(this.pool, await this.#nameOf(streamId), form, snapshot);
  }

  head(): Promise<number> {
    return this.#reader.head();
  }

  now(): Promise<Date> {
    return this.#clock.now();
  }

  onErased(forget: () => void): void {
    this.#seals?.onErased(forget);
  }

  onAppended(deliver: (events: readonly RecordedEvent[]) => void): () => void {
    return this.#wake.subscribe(deliver);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #stored(request: AppendRequest): AppendRequest | Promise<AppendRequest> {
    const stamped = this.#stamp(request);
    return this.#seals?.seal(stamped) ?? stamped;
  }

  async #close(): Promise<void> {
    await this.#appender.close();
    await this.#wake.close();
    await this.pool.end();
  }
}

/** A claim that is taken is told as whoever asked calls it. */
function asAsked(result: AppendResult, { claims }: AppendRequest, stored: AppendRequest): AppendResult {
  if (result.kind !== 'claim-taken') return result;
  const place = stored.claims?.findIndex(({ scope, key }) => scope === result.scope && key === result.key);
  return { ...result, key: claims?.[place ?? -1]?.key ?? result.key };
}
