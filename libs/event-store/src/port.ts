/** A JSON value as Postgres `jsonb` holds it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Who caused an event. */
export interface Actor {
  readonly kind: 'api_key' | 'operator' | 'automation' | 'provider' | 'system';
  readonly id: string;
}

/** Stamped by the framework on every event of an append; handlers never fill it in. */
export interface EventMetadata {
  readonly correlationId: string;
  readonly causationId: string;
  readonly commandId: string | null;
  readonly actor: Actor;
  readonly traceparent?: string;
  /** How deep the run of an automation is that asked for it, or for what it follows from. */
  readonly chainDepth?: number | undefined;
  /** It happened in another installation, and came from there: views show it, nothing else is done about it. */
  readonly imported?: true;
}

export interface NewEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
  /** Version of the payload; the newest when absent: what the store's upcasters lead to. */
  readonly schemaVersion?: number;
  /** A UUID; a fresh uuidv7 when absent. */
  readonly eventId?: string;
  /** What is stored in place of `data`, which readers get back: filled in by the engine's `EventSeals`. */
  readonly sealedData?: JsonObject;
}

/** An event as it stands in the log. `data` is upcast to the newest payload version when read. */
export interface RecordedEvent<T extends string = string, D = unknown> {
  /** Dense and gap-free in the service's log: the predecessor's is always `position - 1`. Starts at 1. */
  readonly position: number;
  readonly streamId: string;
  /** Dense in the stream; starts at 1. */
  readonly streamVersion: number;
  readonly category: string;
  /** The account it belongs to; `null` for the platform's own streams. */
  readonly accountId: number | null;
  readonly type: T;
  readonly schemaVersion: number;
  readonly eventId: string;
  readonly data: D;
  readonly metadata: EventMetadata;
  /** ISO 8601 in UTC with microseconds, platform clock; later than that of all appends that had been answered before. */
  readonly recordedAt: string;
}

/**
 * Uniqueness decided in the append's own transaction. `take` fails when another owner holds (scope, key) and succeeds
 * when the same owner does; `release` of what the owner does not hold does nothing. An append's releases come before
 * its takes, so that one append can hand a claim over.
 */
export interface ClaimChange {
  readonly op: 'take' | 'release';
  readonly scope: string;
  readonly key: string;
  readonly owner: string;
}

/** A durable timer, due on the platform clock; replaced when its id is known already. */
export interface TimerRequest {
  readonly id: string;
  readonly kind: string;
  readonly due: { readonly at: string } | { readonly afterMs: number };
  readonly payload: JsonObject;
}

/** A timer as it was found due; `dueAt` is ISO 8601 with microseconds. */
export interface FiredTimer {
  readonly id: string;
  readonly dueAt: string;
}

/** The command that causes an append: recorded with it, so that it is effective once for ever. */
export interface CommandRecord {
  /** A UUID. */
  readonly commandId: string;
  /** Identifies the request's content; a repeated id with another fingerprint is reuse. */
  readonly fingerprint: string;
  /** The answer's exact bytes; `null` while the command still runs (a later append with the id completes it). */
  readonly reply: string | null;
}

/** One atomic unit: all of it is durable when `append` resolves, or none of it. */
export interface AppendRequest {
  readonly streamId: string;
  readonly category: string;
  readonly accountId: number | null;
  /** May be empty: then only the command, claims, timers and checkpoint are recorded. */
  readonly events: readonly NewEvent[];
  /** The stream's version before this append; 0 means that it must not exist; `any` skips the check. */
  readonly expectedVersion: number | 'any';
  readonly metadata: EventMetadata;
  readonly command?: CommandRecord;
  readonly claims?: readonly ClaimChange[];
  readonly timers?: readonly TimerRequest[];
  readonly cancelTimers?: readonly string[];
  /** The timer that fires by this append, and is deleted with it; refused when it is gone or due at another time. */
  readonly firesTimer?: FiredTimer;
  /** Moves a processor's checkpoint in the same transaction; the append is refused when `from` is not the present one. */
  readonly checkpoint?: { readonly processor: string; readonly from: number; readonly to: number };
}

export interface Appended {
  readonly kind: 'appended';
  /** The stream's version after the append. */
  readonly version: number;
  /** Position of the last event of this append, or the head of the log when it had none. */
  readonly position: number;
  /** ISO 8601 in UTC with microseconds, platform clock: the `recordedAt` of its events. */
  readonly recordedAt: string;
}
/** The stream is at another version than expected. */
export interface VersionConflict {
  readonly kind: 'conflict';
  readonly actualVersion: number;
}
/** The command id was recorded before; nothing was written now. */
export interface RepeatedCommand {
  readonly kind: 'repeated';
  readonly fingerprint: string;
  readonly reply: string | null;
  readonly version: number;
  readonly position: number;
  /** Age on the platform clock, in milliseconds. */
  readonly ageMs: number;
}
export interface ClaimTaken {
  readonly kind: 'claim-taken';
  readonly scope: string;
  readonly key: string;
  readonly owner: string;
}
/** Another owner moved the processor's checkpoint: this one is a zombie and must stop. */
interface CheckpointMoved {
  readonly kind: 'checkpoint-moved';
  readonly actual: number;
}
/** The timer was fired by another process, cancelled or moved: nothing is to be done. */
interface TimerGone {
  readonly kind: 'timer-gone';
}
export type AppendResult =
  | Appended
  | VersionConflict
  | RepeatedCommand
  | ClaimTaken
  | CheckpointMoved
  | TimerGone;

/** The append queue is full: answer 503 and let the caller come back. */
export class AppendQueueFull extends Error {
  override readonly name = 'AppendQueueFull';
}

/**
 * The log cannot be written just now: the connection is down, or the append did not get its turn in time. Answer 503.
 * `outcome` says whether it is certain that nothing was written; retrying with the same command id is safe either way.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly outcome: 'not-written' | 'unknown';

  constructor(outcome: 'not-written' | 'unknown', options?: ErrorOptions) {
    super(
      outcome === 'unknown'
        ? 'The log cannot be reached; the append may have been written.'
        : 'The log cannot be written.',
      options,
    );
    this.outcome = outcome;
  }
}

export interface ReadStreamOptions {
  /** First version wanted; 1 when absent. */
  readonly fromVersion?: number;
  readonly toVersion?: number;
}

export interface ReadAllOptions {
  /** Events with a greater position. */
  readonly after: number;
  /** Up to and including this position; to the end of the log when absent. */
  readonly upTo?: number;
  /** At most this many. */
  readonly limit: number;
  /** Only those at these positions: nothing between them is looked at. */
  readonly positions?: readonly number[];
  readonly types?: readonly string[];
  readonly accountId?: number;
  /** Of any of them. */
  readonly accountIds?: readonly number[];
  readonly streamId?: string;
  /** Of the metadata: what one request led to. */
  readonly correlationId?: string;
  /** Came with an import, and has this as its `hold_id`, or as its `reference` where it has none. */
  readonly importedKey?: string;
}

/** The newest event wanted: a version of the stream, a position of the log, or an ISO 8601 time on the platform clock. */
export interface Moment {
  readonly version?: number;
  readonly position?: number;
  readonly time?: string;
}

/** What a stream came to at one of its versions, packed as its fold does. */
export interface Snapshot {
  readonly version: number;
  readonly accountId: number | null;
  readonly position: number;
  /** ISO 8601, as the event's. */
  readonly recordedAt: string;
  readonly state: JsonObject;
}

export interface ReadPageOptions extends ReadAllOptions {
  readonly upTo: number;
}

export interface LogPage {
  readonly events: readonly RecordedEvent[];
  /** All wanted events up to here are in this page and those before it: `upTo`, or less when the page is full. */
  readonly reached: number;
}

/** The port every engine implements; one contract suite (`event-store.contract.ts`) runs on each. */
export interface EventStore {
  /** Durable (fsync) when resolved. Concurrent calls are batched; one bad append never harms its neighbours. */
  append(request: AppendRequest): Promise<AppendResult>;
  /**
   * Appends to one stream, each decided on what the one before it leaves behind, and written only if that one was: what
   * comes after one that is refused, or that fails, conflicts. Settles each as `append` would, in the order given.
   */
  appendRun(requests: readonly AppendRequest[]): Promise<readonly PromiseSettledResult<AppendResult>[]>;
  /** All wanted events of a stream in order; empty when it does not exist. */
  readStream(streamId: string, options?: ReadStreamOptions): Promise<RecordedEvent[]>;
  /** Events of the log in position order, `limit` of them if there are as many, however large they are. */
  readAll(options: ReadAllOptions): Promise<RecordedEvent[]>;
  /** As `readAll`, for whoever follows the log: large events make the page a shorter one. */
  readPage(options: ReadPageOptions): Promise<LogPage>;
  /** What a command id was answered, if it is known. */
  findCommand(commandId: string): Promise<RepeatedCommand | undefined>;
  /** The newest snapshot of a stream in that form that is not after the moment. */
  findSnapshot(streamId: string, form: string, moment: Moment): Promise<Snapshot | undefined>;
  /** Keeps one more; derived, so it need not be durable. */
  keepSnapshot(streamId: string, form: string, snapshot: Snapshot): Promise<void>;
  /** Position of the newest event; 0 for an empty log. */
  head(): Promise<number>;
  /** The platform clock. */
  now(): Promise<Date>;
  /**
   * Calls `deliver` soon after events were appended: with the events, in the log's order, when this process appended
   * them, and with none when there may be others to read. A hint; a poll backstop covers what gets lost.
   */
  onAppended(deliver: (events: readonly RecordedEvent[]) => void): () => void;
  /** Calls `forget` when people were erased from the log: what was folded before may still know them. */
  onErased(forget: () => void): void;
  close(): Promise<void>;
}

/** Turns a payload of `schemaVersion` n of one event type into n + 1. Pure JSON to JSON. */
export interface Upcaster {
  readonly type: string;
  readonly fromVersion: number;
  readonly upcast: (data: JsonObject) => JsonObject;
}
