import { collectPage } from './log-page.ts';
import { fromMicroseconds, toMicroseconds } from './microseconds.ts';
import { happenedBy } from './moment.ts';
import type {
  AppendRequest,
  AppendResult,
  ClaimChange,
  EventStore,
  JsonObject,
  LogPage,
  Moment,
  ReadAllOptions,
  ReadPageOptions,
  ReadStreamOptions,
  RecordedEvent,
  RepeatedCommand,
  Snapshot,
  Upcaster,
} from './port.ts';
import { type PreparedAppend, prepareAppend } from './prepare-append.ts';
import { createUpcast, createVersionStamp, type StampVersions, type Upcast } from './upcasting.ts';

export interface InMemoryOptions {
  readonly upcasters?: readonly Upcaster[];
  /** The platform clock; Node's when absent. */
  readonly now?: () => Date;
}

export interface InMemoryEventStore extends EventStore {
  /** What is scheduled, in no particular order. */
  timers(): StoredTimer[];
}

interface StoredTimer {
  readonly id: string;
  readonly kind: string;
  /** ISO 8601. */
  readonly dueAt: string;
  readonly payload: JsonObject;
}

/** The port in memory, for tests: same contract suite as the Postgres engine, nothing durable. */
export function createInMemoryEventStore(options: InMemoryOptions = {}): InMemoryEventStore {
  const { upcasters, now = () => new Date() } = options;
  return new Engine(createUpcast(upcasters), createVersionStamp(upcasters), now);
}

interface StoredCommand extends Omit<RepeatedCommand, 'ageMs' | 'kind'> {
  readonly createdAt: number;
}

class Engine implements InMemoryEventStore {
  readonly #upcast: Upcast;
  readonly #stamp: StampVersions;
  readonly #now: () => Date;
  readonly #log: RecordedEvent<string, JsonObject>[] = [];
  readonly #streams = new Map<string, RecordedEvent<string, JsonObject>[]>();
  readonly #eventIds = new Set<string>();
  readonly #commands = new Map<string, StoredCommand>();
  readonly #claims = new Map<string, string>();
  readonly #checkpoints = new Map<string, number>();
  readonly #timers = new Map<string, StoredTimer>();
  readonly #snapshots = new Map<string, Snapshot[]>();
  readonly #subscribers = new Set<(events: readonly RecordedEvent[]) => void>();
  #lastRecordedAt = Number.NEGATIVE_INFINITY;

  constructor(upcast: Upcast, stamp: StampVersions, now: () => Date) {
    this.#upcast = upcast;
    this.#stamp = stamp;
    this.#now = now;
  }

  async append(request: AppendRequest): Promise<AppendResult> {
    const prepared = prepareAppend(this.#stamp(request));
    return this.#refusal(prepared) ?? this.#write(prepared);
  }

  async appendRun(
    requests: readonly AppendRequest[],
  ): Promise<readonly PromiseSettledResult<AppendResult>[]> {
    const settled: PromiseSettledResult<AppendResult>[] = [];
    let isBroken = false;
    for (const request of requests) {
      const appending: Promise<AppendResult> = isBroken
        ? Promise.resolve({ kind: 'conflict', actualVersion: this.#versionOf(request.streamId) })
        : this.append(request);
      const [result] = await Promise.allSettled([appending]);
      isBroken ||= result.status === 'rejected' || result.value.kind !== 'appended';
      settled.push(result);
    }
    return settled;
  }

  async readStream(streamId: string, options: ReadStreamOptions = {}): Promise<RecordedEvent[]> {
    const { fromVersion = 1, toVersion } = options;
    return (this.#streams.get(streamId) ?? []).slice(fromVersion - 1, toVersion).map(this.#upcast);
  }

  async readAll({
    after,
    upTo,
    limit,
    positions,
    types,
    accountId,
    accountIds,
    streamId,
    correlationId,
    importedKey,
  }: ReadAllOptions): Promise<RecordedEvent[]> {
    return this.#log
      .slice(after, upTo)
      .filter(
        (event) =>
          (positions?.includes(event.position) ?? true) &&
          (types?.includes(event.type) ?? true) &&
          (accountId === undefined || event.accountId === accountId) &&
          (accountIds === undefined || (event.accountId !== null && accountIds.includes(event.accountId))) &&
          (correlationId === undefined || event.metadata.correlationId === correlationId) &&
          (importedKey === undefined || importedKeyOf(event) === importedKey) &&
          (streamId === undefined || event.streamId === streamId),
      )
      .slice(0, limit)
      .map(this.#upcast);
  }

  readPage(options: ReadPageOptions): Promise<LogPage> {
    return collectPage(options, (after, limit) => this.readAll({ ...options, after, limit }));
  }

  async findCommand(commandId: string): Promise<RepeatedCommand | undefined> {
    return this.#find(commandId);
  }

  async findSnapshot(streamId: string, form: string, moment: Moment): Promise<Snapshot | undefined> {
    const hadHappened = happenedBy(moment);
    return this.#snapshots
      .get(`${form} ${streamId}`)
      ?.findLast((each) => hadHappened({ ...each, streamVersion: each.version }));
  }

  async keepSnapshot(streamId: string, form: string, snapshot: Snapshot): Promise<void> {
    const key = `${form} ${streamId}`;
    const others = (this.#snapshots.get(key) ?? []).filter(({ version }) => version !== snapshot.version);
    this.#snapshots.set(
      key,
      [...others, structuredClone(snapshot)].sort((a, b) => a.version - b.version),
    );
  }

  async head(): Promise<number> {
    return this.#log.length;
  }

  async now(): Promise<Date> {
    return this.#now();
  }

  onAppended(deliver: (events: readonly RecordedEvent[]) => void): () => void {
    const subscriber = (events: readonly RecordedEvent[]) => deliver(events);
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Nobody is ever erased from it. */
  onErased(): void {}

  timers(): StoredTimer[] {
    return [...this.#timers.values()];
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
  }

  #versionOf(streamId: string): number {
    return this.#streams.get(streamId)?.length ?? 0;
  }

  #find(commandId: string): RepeatedCommand | undefined {
    const stored = this.#commands.get(commandId.toLowerCase());
    if (!stored) return undefined;
    const { createdAt, ...rest } = stored;
    return { kind: 'repeated', ...rest, ageMs: this.#now().getTime() - createdAt };
  }

  #refusal({ request, events, claims }: PreparedAppend): AppendResult | undefined {
    const { command, checkpoint, firesTimer, expectedVersion, streamId } = request;
    const repeated = command && this.#find(command.commandId);
    const completes = repeated?.reply === null && command?.reply !== null;
    if (repeated && !(completes && repeated.fingerprint === command?.fingerprint)) return repeated;
    if (checkpoint) {
      const actual = this.#checkpoints.get(checkpoint.processor) ?? 0;
      if (actual !== checkpoint.from) return { kind: 'checkpoint-moved', actual };
    }
    if (firesTimer) {
      const dueAt = this.#timers.get(firesTimer.id)?.dueAt;
      if (dueAt === undefined || toMicroseconds(dueAt) !== toMicroseconds(firesTimer.dueAt))
        return { kind: 'timer-gone' };
    }
    const actualVersion = this.#versionOf(streamId);
    if (expectedVersion !== 'any' && expectedVersion !== actualVersion)
      return { kind: 'conflict', actualVersion };
    const isReleased = (key: string, owner: string) =>
      claims.some((claim) => claim.op === 'release' && claimKey(claim) === key && claim.owner === owner);
    for (const claim of claims) {
      const owner = this.#claims.get(claimKey(claim));
      if (claim.op === 'release' || owner === undefined || owner === claim.owner) continue;
      if (!isReleased(claimKey(claim), owner))
        return { kind: 'claim-taken', scope: claim.scope, key: claim.key, owner };
    }
    const known = events.find(({ eventId }) => this.#eventIds.has(eventId));
    if (known) throw new Error(`Event id ${known.eventId} is in the log already.`);
    return undefined;
  }

  #write({ request, events, claims, metadataJson }: PreparedAppend): AppendResult {
    const { streamId, category, accountId, command, checkpoint, timers = [], cancelTimers = [] } = request;
    const at = Math.max(this.#now().getTime() * 1000, this.#lastRecordedAt + 1);
    const recordedAt = fromMicroseconds(at);
    const stream = this.#streams.get(streamId) ?? [];
    for (const { eventId, type, schemaVersion, json } of events) {
      const recorded: RecordedEvent<string, JsonObject> = {
        position: this.#log.length + 1,
        streamId,
        streamVersion: stream.length + 1,
        category,
        accountId,
        type,
        schemaVersion,
        eventId,
        // Through JSON, as the Postgres engine: nobody shares what the writer still holds.
        data: JSON.parse(json),
        metadata: JSON.parse(metadataJson),
        recordedAt,
      };
      this.#log.push(recorded);
      stream.push(recorded);
      this.#eventIds.add(eventId);
      this.#lastRecordedAt = at;
    }
    if (events.length > 0) this.#streams.set(streamId, stream);
    const [version, position] = [stream.length, this.#log.length];
    if (command)
      this.#record(command.commandId, { ...command, version, position, createdAt: Date.parse(recordedAt) });
    for (const claim of claims)
      if (claim.op === 'release' && this.#claims.get(claimKey(claim)) === claim.owner)
        this.#claims.delete(claimKey(claim));
    for (const claim of claims) if (claim.op === 'take') this.#claims.set(claimKey(claim), claim.owner);
    for (const id of cancelTimers) this.#timers.delete(id);
    if (request.firesTimer) this.#timers.delete(request.firesTimer.id);
    for (const { id, kind, due, payload } of timers) {
      const at = 'at' in due ? Date.parse(due.at) : this.#now().getTime() + due.afterMs;
      this.#timers.set(id, { id, kind, dueAt: new Date(at).toISOString(), payload });
    }
    if (checkpoint) this.#checkpoints.set(checkpoint.processor, checkpoint.to);
    const appended = this.#log.slice(position - events.length).map(this.#upcast);
    if (appended.length > 0)
      for (const subscriber of this.#subscribers) setImmediate(() => subscriber(appended));
    return { kind: 'appended', version, position, recordedAt };
  }

  /** A command that was still running keeps the time it came. */
  #record(commandId: string, { fingerprint, reply, version, position, createdAt }: StoredCommand): void {
    const id = commandId.toLowerCase();
    const first = this.#commands.get(id)?.createdAt ?? createdAt;
    this.#commands.set(id, { fingerprint, reply, version, position, createdAt: first });
  }
}

const importedKeyOf = ({ data: { hold_id, reference }, metadata }: RecordedEvent<string, JsonObject>) =>
  metadata.imported && (hold_id ?? reference);

const claimKey = ({ scope, key }: ClaimChange) => `${scope}\0${key}`;
