import type { AppendRequest, EventMetadata, NewEvent } from '../port.ts';
import type { Decision, Fold, Rejected } from './decider.ts';

/**
 * A command on one stream, for `Aggregates.execute`. Everything that its decision wants is one append, all or nothing. With
 * a `command` it is effective once for ever: a repetition gets the first answer, and nothing is appended again.
 */
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
  /**
   * Commands with `inRuns` that wait for the same stream are decided together, each on the state that the one before
   * is about to leave, and appended together. `decide` must then use only its arguments; or it returns a promise, and
   * is called again when the command's turn has come.
   */
  readonly inRuns?: boolean;
  /** Called again on the newer state after a lost race; pure but for ids and clock readings it is given. */
  readonly decide: (
    state: State,
    version: number,
  ) => Decision<Event, Reply> | Rejected | Promise<Decision<Event, Reply> | Rejected>;
}

/** The reply as JSON text. */
export const bodyOf = (reply: unknown): string => (typeof reply === 'string' ? reply : JSON.stringify(reply));

/** What is appended for a decision on a stream at this version. */
export function toAppend<State, Event extends NewEvent, Reply>(
  { streamId, category, accountId, metadata, command }: ExecuteOptions<State, Event, Reply>,
  expectedVersion: number,
  { events, claims, timers, cancelTimers, reply }: Decision<Event, Reply>,
): AppendRequest {
  return {
    streamId,
    category,
    accountId,
    events,
    expectedVersion,
    metadata,
    ...(command && {
      command: { commandId: command.commandId, fingerprint: command.fingerprint ?? '', reply: bodyOf(reply) },
    }),
    ...(claims && { claims }),
    ...(timers && { timers }),
    ...(cancelTimers && { cancelTimers }),
  };
}
