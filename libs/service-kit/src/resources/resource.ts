import { summaryOf } from '@parley/contracts';
import type { Aggregates, Fold, JsonObject, Moment, NewEvent, RecordedEvent } from '@parley/event-store';
import type { RevertOf } from './revert.ts';

export interface ResourceDefinition<State, Event extends NewEvent> {
  /** As operators write it: `folder` of `folder/12`. */
  readonly name: string;
  /** The resource's stream; `undefined` for an id that cannot be one. */
  readonly streamOf: (id: string) => string | undefined;
  /** Each account has one, with its own number: its name alone says which. */
  readonly isOnePerAccount?: true;
  readonly fold: Fold<State, Event>;
  /** What is shown of a state; `null` while (or once) there is nothing. The state itself, its fields in snake case, when absent. */
  readonly show?: (state: State) => JsonObject | null;
  /** One line on what an event did to the state before it; its summary in the contract when absent, or undefined. */
  readonly describe?: (event: RecordedEvent, before: State) => string | undefined;
  /** Whether there is, at a moment, what it is a part of, and gone with; always when absent. */
  readonly hasWhole?: (state: State, aggregates: Aggregates, moment: Moment) => Promise<boolean>;
  /** How a change is undone, or why it cannot be; no change can when absent. `revertBy` makes one of an operation. */
  readonly revert?: RevertOf;
}

interface ResourceState {
  readonly shown: JsonObject | null;
  /** 0 when there is no event yet at that moment. */
  readonly version: number;
  readonly accountId: number | null;
  readonly position: number;
  readonly recordedAt: string | null;
}

interface CurrentStream {
  readonly version: number;
  readonly accountId: number | null;
}

export interface ResourceChange {
  readonly event: RecordedEvent;
  readonly summary: string;
  /** The changed fields only. */
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** All that is shown from then on. */
  readonly shown: JsonObject;
}

/** A resource on its way through its stream. */
export interface Follower {
  /** Takes the next event; tells what it changed where that `isWanted`. */
  next(event: RecordedEvent, isWanted: boolean): ResourceChange | null;
  /** Another one, from here on. */
  fork(): Follower;
}

/** Something operators look at by name: its state at any moment, and its history. */
export interface Resource {
  readonly name: string;
  readonly streamOf: (id: string) => string | undefined;
  readonly isOnePerAccount: boolean;
  readonly stateAt: (aggregates: Aggregates, streamId: string, moment: Moment) => Promise<ResourceState>;
  /** The stream's version and whose it is, now; version 0 when there is none. */
  readonly current: (aggregates: Aggregates, streamId: string) => Promise<CurrentStream>;
  /** `recorded` is the whole stream, in order. */
  readonly changes: (recorded: readonly RecordedEvent[]) => ResourceChange[];
  /** Before the first event of its stream. */
  readonly follow: () => Follower;
  /** At a version of its stream, or at its end; only where the log keeps snapshots of the fold. */
  readonly followFrom?: (
    aggregates: Pick<Aggregates, 'loadAt'>,
    streamId: string,
    version: number,
  ) => Promise<{ readonly follower: Follower; readonly version: number }>;
  readonly revert: RevertOf;
}

/**
 * Makes of a stream and its fold what operators and accounts look at as `<name>/<id>`: its state at any moment, its changes,
 * and how one of them is undone. States and the `before` and `after` of a change hold only what `show` lets through.
 */
export function defineResource<State, Event extends NewEvent>(
  definition: ResourceDefinition<State, Event>,
): Resource {
  const { name, streamOf, isOnePerAccount = false, fold, show = showAsIs, describe, hasWhole } = definition;
  const { revert = cannotBeUndone } = definition;
  const followFrom = (before: State): Follower => {
    let state = before;
    return {
      next(event, isWanted) {
        const told = isWanted && {
          summary: describe?.(event, state) ?? summaryOf(event),
          before: show(state) ?? {},
        };
        // The log gives back what was appended to this stream; `evolve` ignores types it does not know.
        state = fold.evolve(state, event as RecordedEvent & Event);
        if (!told) return null;
        const shown = show(state) ?? {};
        return { event, summary: told.summary, shown, ...difference(told.before, shown) };
      },
      fork: () => followFrom(state),
    };
  };
  const follow = () => followFrom(fold.initialState);
  return {
    name,
    streamOf,
    isOnePerAccount,
    revert,
    follow,
    ...(fold.snapshots && {
      async followFrom(aggregates, streamId, wanted) {
        const { state, version } = await aggregates.loadAt(streamId, fold, { version: wanted });
        return { follower: followFrom(state), version };
      },
    }),
    current: (aggregates, streamId) => aggregates.load(streamId, fold),
    async stateAt(aggregates, streamId, moment) {
      const { state, ...at } = await aggregates.loadAt(streamId, fold, moment);
      const isThere = (await hasWhole?.(state, aggregates, moment)) ?? true;
      return { shown: isThere ? show(state) : null, ...at };
    },
    changes(recorded) {
      const follower = follow();
      return recorded.flatMap((event) => follower.next(event, true) ?? []);
    },
  };
}

/** `<prefix>-<id>` for a positive integer id, as most streams are called. */
export const numberedStream =
  (prefix: string) =>
  (id: string): string | undefined =>
    /^[1-9]\d{0,15}$/.test(id) ? `${prefix}-${id}` : undefined;

const cannotBeUndone: RevertOf = () => 'Changes of this kind cannot be undone.';

/** States are plain data: what JSON makes of them is what is shown, under names as the API has them. */
function showAsIs(state: unknown): JsonObject | null {
  const plain: JsonObject | null = JSON.parse(JSON.stringify(state));
  return plain && Object.fromEntries(Object.entries(plain).map(([name, value]) => [snakeCase(name), value]));
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function difference(before: JsonObject, after: JsonObject): { before: JsonObject; after: JsonObject } {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  const pick = (from: JsonObject) =>
    Object.fromEntries(
      changed.flatMap((key) => {
        const value = from[key];
        return value === undefined ? [] : [[key, value] as const];
      }),
    );
  return { before: pick(before), after: pick(after) };
}
