import type { Appended, NewEvent, RecordedEvent } from '../port.ts';
import type { Fold } from './decider.ts';

/** A stream folded as far as it was read: to its newest event, or to the moment asked for. */
export interface Loaded<State> {
  readonly state: State;
  /** 0 when the stream does not exist (at the moment asked for). */
  readonly version: number;
  /** Whose stream it is; null for the platform's own, and when there is no event. */
  readonly accountId: number | null;
  /** Log position and time (ISO 8601, UTC) of the last event folded; 0 and null when there was none. */
  readonly position: number;
  readonly recordedAt: string | null;
}

/** A stream before its first event: the fold's initial state at version 0. */
export const nothingYet = <State, Event>(fold: Fold<State, Event>): Loaded<State> => ({
  state: fold.initialState,
  version: 0,
  accountId: null,
  position: 0,
  recordedAt: null,
});

/** Folds the events that follow what was folded before. */
export function foldOnto<State, Event>(
  known: Loaded<State>,
  fold: Fold<State, Event>,
  events: readonly RecordedEvent[],
): Loaded<State> {
  const last = events.at(-1);
  if (!last) return known;
  let { state } = known;
  // The stream's owner wrote them; what the fold does not know it leaves alone, so the type holds for what it reads.
  for (const event of events) state = fold.evolve(state, event as Event);
  return {
    state,
    version: last.streamVersion,
    accountId: last.accountId,
    position: last.position,
    recordedAt: last.recordedAt,
  };
}

/** What is known once a decision on `known` was appended: nothing has to be read. */
export function afterAppend<State, Event extends NewEvent>(
  known: Loaded<State>,
  { fold, accountId }: { readonly fold: Fold<State, Event>; readonly accountId: number | null },
  events: readonly Event[],
  { version, position, recordedAt }: Appended,
): Loaded<State> {
  if (events.length === 0) return known;
  return { state: events.reduce(fold.evolve, known.state), version, accountId, position, recordedAt };
}
