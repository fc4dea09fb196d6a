import type { ClaimChange, NewEvent, TimerRequest } from './port.ts';

/**
 * A state machine as plain functions. `evolve` is total: an event it does not know leaves the state as it is,
 * so that an older process can fold a newer history.
 */
export interface Fold<State, Event> {
  readonly initialState: State;
  readonly evolve: (state: State, event: Event) => State;
}

/** What a decision wants to happen, all or nothing. `reply` is the answer's body. */
export interface Decision<Event extends NewEvent = NewEvent, Reply = unknown> {
  readonly events: readonly Event[];
  readonly reply: Reply;
  readonly claims?: readonly ClaimChange[];
  readonly timers?: readonly TimerRequest[];
  readonly cancelTimers?: readonly string[];
}
