import type { ClaimChange, ClaimTaken, JsonObject, NewEvent, TimerRequest } from '../port.ts';

/**
 * A state machine as plain functions. `evolve` is total: an event it does not know leaves the state as it is,
 * so that an older process can fold a newer history. It may look at `type` and `data` only.
 */
export interface Fold<State, Event> {
  readonly initialState: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Of streams that never end: folded from their first event, they would take longer with each month. */
  readonly snapshots?: SnapshotForm<State>;
}

/** How a state is kept beside the log: as JSON, which tells all of it. */
export interface SnapshotForm<State> {
  /** Another one whenever `evolve` makes something else of the same events: what was kept before counts no more. */
  readonly name: string;
  readonly pack: (state: State) => JsonObject;
  readonly unpack: (packed: JsonObject) => State;
}

/** An expected "no": a code of the caller's own list and whatever explains it. */
export interface Rejected {
  readonly code: string;
  readonly message?: string;
  /** Messages by field of the input. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

/** What a decision wants to happen, all or nothing. */
export interface Decision<Event extends NewEvent = NewEvent, Reply = unknown> {
  readonly events: readonly Event[];
  /** The answer's body: an object, or a string that is JSON text already. */
  readonly reply: Reply;
  readonly claims?: readonly ClaimChange[];
  readonly timers?: readonly TimerRequest[];
  readonly cancelTimers?: readonly string[];
  /** What the caller is told when a claim is taken; without it a taken claim is a bug. */
  readonly onClaimTaken?: (claim: ClaimTaken) => Rejected;
}
