import type {
  AppendRequest,
  Decision,
  EventMetadata,
  EventStore,
  Fold,
  NewEvent,
  RecordedEvent,
  TimerRequest,
} from '@parley/event-store';
import type { EventSource } from '../event-source.ts';
import type { DueTimer, TimerHandler } from '../timers/timer.ts';
import { defineReactor, type Reactor } from './reactor.ts';

/** What a process manager reacts to. */
export type ProcessInput =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'timer'; readonly timer: DueTimer };

/** The stream that one process is kept in. */
export interface ProcessStream {
  readonly streamId: string;
  readonly accountId: number | null;
}

export interface ProcessManagerDefinition<State, Event extends NewEvent> {
  readonly name: string;
  /** Of its own streams. */
  readonly category: string;
  readonly handles: readonly string[];
  /** Whose events; the service's own when absent. */
  readonly source?: EventSource;
  /** Kinds of the timers it sets; give their handlers to `startTimers`. */
  readonly timers: readonly string[];
  readonly fold: Fold<State, Event>;
  /** Which process the input belongs to; undefined when it concerns none. */
  readonly streamOf: (input: ProcessInput) => ProcessStream | undefined;
  /**
   * Pure. Its events, timers and claims are appended exactly once for each input; nothing happens on undefined. Work
   * outside is asked for by an event that a reactor of its own acts upon, so that the intent is on record first.
   */
  readonly decide: (
    state: State,
    input: ProcessInput,
    version: number,
  ) => Omit<Decision<Event>, 'reply' | 'onClaimTaken'> | undefined;
  readonly maxAttempts?: number;
}

export interface ProcessManager {
  readonly kind: 'process-manager';
  readonly name: string;
  readonly checkpoint: string;
  readonly reactor: Reactor;
  /** By timer kind, for `startTimers`. */
  readonly timerHandlers: Readonly<Record<string, TimerHandler>>;
}

/** A state machine over its own streams that events and timers drive; one input after the other for each process. */
export function defineProcessManager<State, Event extends NewEvent>(
  definition: ProcessManagerDefinition<State, Event>,
): ProcessManager {
  const { name, handles, source, maxAttempts } = definition;
  const reactor = defineReactor({
    name,
    handles,
    ...(source ? { source } : {}),
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    react: (event, { store, metadata }) => plan(definition, store, { kind: 'event', event }, metadata),
  });
  const onTimer: TimerHandler = (timer, { store, metadata }) =>
    plan(definition, store, { kind: 'timer', timer }, metadata);
  return {
    kind: 'process-manager',
    name,
    checkpoint: reactor.checkpoint,
    reactor,
    timerHandlers: Object.fromEntries(definition.timers.map((kind) => [kind, onTimer])),
  };
}

async function plan<State, Event extends NewEvent>(
  { category, fold, streamOf, decide }: ProcessManagerDefinition<State, Event>,
  store: EventStore,
  input: ProcessInput,
  metadata: EventMetadata,
): Promise<AppendRequest | undefined> {
  const stream = streamOf(input);
  if (!stream) return undefined;
  const history = await store.readStream(stream.streamId);
  let state = fold.initialState;
  // The stream holds this process manager's own events and no others.
  for (const event of history) state = fold.evolve(state, event as unknown as Event);
  const decision = decide(state, input, history.length);
  if (!decision) return undefined;
  const { timers, ...effects } = decision;
  return {
    ...effects,
    ...stream,
    category,
    metadata,
    expectedVersion: history.length,
    ...(timers ? { timers: timers.map((timer) => correlated(timer, metadata)) } : {}),
  };
}

/** What a timer causes later belongs to what caused the timer. */
const correlated = (timer: TimerRequest, { correlationId }: EventMetadata): TimerRequest => ({
  ...timer,
  payload: { ...timer.payload, correlation_id: correlationId },
});
