import type { Decision, Fold, Rejected } from './decider.ts';
import type { EventMetadata, EventStore, NewEvent } from './port.ts';

export interface ExecuteOptions<State, Event extends NewEvent, Reply> {
  readonly streamId: string;
  readonly category: string;
  /** A stream of another account looks as if it did not exist. */
  readonly accountId: number | null;
  readonly fold: Fold<State, Event>;
  /** The stream's id was allocated just now: nothing is read before the decision. */
  readonly isNew?: boolean;
  readonly metadata: EventMetadata;
  /** `fingerprint` is null when the caller did not choose the id. */
  readonly command: { readonly commandId: string; readonly fingerprint: string | null } | null;
  /** Called again on the newer state after a lost race; pure but for ids and clock readings it is given. */
  readonly decide: (
    state: State,
    version: number,
  ) => Decision<Event, Reply> | Rejected | Promise<Decision<Event, Reply> | Rejected>;
}

export interface Executed {
  readonly kind: 'done';
  /** The reply as JSON text: for a repeated command exactly the bytes of the first answer. */
  readonly body: string;
  readonly version: number;
  readonly position: number;
  readonly replayed: boolean;
}
export interface Refused {
  readonly kind: 'rejected';
  /** `decide`'s own, or `contended`, `idempotency_key_reuse`, `idempotency_key_expired`, `idempotency_in_progress`. */
  readonly rejection: Rejected;
}
export type ExecuteResult = Executed | Refused;

export interface Loaded<State> {
  readonly state: State;
  /** 0 when the stream does not exist (at the moment asked for). */
  readonly version: number;
  readonly accountId: number | null;
  /** Position and time of the last event folded; 0 and null when there was none. */
  readonly position: number;
  readonly recordedAt: string | null;
}

/** The newest event wanted: a version of the stream, a position of the log, or an ISO 8601 time on the platform clock. */
export interface Moment {
  readonly version?: number;
  readonly position?: number;
  readonly time?: string;
}

export interface AggregatesOptions {
  /** Folds kept in memory; 10,000 when absent. They are a hint: every decision is checked against the log. */
  readonly maxCached?: number;
}

/**
 * Loads, decides, appends. Commands on one stream run one after another in this process; a race lost to another
 * process is decided again, three times at most. Rejects only with a bug's or the infrastructure's error.
 */
export class Aggregates {
  readonly #store: EventStore;

  constructor(store: EventStore, _options: AggregatesOptions = {}) {
    this.#store = store;
  }

  async execute<State, Event extends NewEvent, Reply>(
    _options: ExecuteOptions<State, Event, Reply>,
  ): Promise<ExecuteResult> {
    await this.#store.head();
    throw new Error('Aggregates are being written.');
  }

  /** The stream folded as it is now. */
  load<State, Event extends NewEvent>(streamId: string, fold: Fold<State, Event>): Promise<Loaded<State>> {
    return this.loadAt(streamId, fold, {});
  }

  /** The stream folded as it was at a moment. */
  async loadAt<State, Event extends NewEvent>(
    _streamId: string,
    _fold: Fold<State, Event>,
    _moment: Moment,
  ): Promise<Loaded<State>> {
    await this.#store.head();
    throw new Error('Aggregates are being written.');
  }
}
