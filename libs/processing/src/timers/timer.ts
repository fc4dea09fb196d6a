import type {
  AppendRequest,
  Decision,
  EventMetadata,
  EventStore,
  FiredTimer,
  JsonObject,
  TimerRequest,
} from '@parley/event-store';

/** A timer whose moment has come on the platform clock. */
export interface DueTimer extends FiredTimer {
  readonly kind: string;
  readonly payload: JsonObject;
}

export interface TimerContext {
  readonly store: EventStore;
  /**
   * Its correlation is the payload's `correlation_id`, else the timer's id. Its cause is the payload's `causation_id`,
   * where whoever set the timer says what it goes back to; else the timer. It is as deep as that (`chain_depth`).
   */
  readonly metadata: EventMetadata;
}

/** The append of a fired timer, and what this process does once it is durable, or is not: work that the append announces. */
export interface TimerAppend extends AppendRequest {
  /** Called once in the process whose append it was; never when that process dies first. Must not throw. */
  readonly afterwards?: () => void;
  /** Called instead where the append was refused, or nobody knows whether it was written. Must not throw. */
  readonly otherwise?: () => void;
}

/**
 * What a due timer leads to. The append that is returned deletes the timer and happens exactly once; with `undefined`
 * the timer is only deleted. It may run more than once, in several processes, so all effects belong into the append.
 */
export type TimerHandler = (
  timer: DueTimer,
  context: TimerContext,
) => TimerAppend | undefined | Promise<TimerAppend | undefined>;

/**
 * The timers with their account and what they go back to (correlation, cause, chain depth) in their payloads, so that
 * what they do when they fire stands in the same trace.
 */
export const withOrigin = (
  timers: readonly TimerRequest[],
  accountId: number | null,
  { correlationId: correlation_id, causationId: causation_id, chainDepth }: EventMetadata,
): TimerRequest[] =>
  timers.map((timer) => ({
    ...timer,
    payload: {
      ...timer.payload,
      account_id: accountId,
      correlation_id,
      causation_id,
      ...(chainDepth === undefined ? {} : { chain_depth: chainDepth }),
    },
  }));

/** `withOrigin` for the timers of a decision; a rejection, which has none, stays as it is. */
export const decidedWithOrigin = <
  Outcome extends { readonly timers?: readonly TimerRequest[]; readonly code?: string },
>(
  outcome: Outcome,
  accountId: number | null,
  metadata: EventMetadata,
): Outcome =>
  outcome.timers ? { ...outcome, timers: withOrigin(outcome.timers, accountId, metadata) } : outcome;

/**
 * The append of a fired timer from a decision on its stream: the timers that the decision sets get the stream's
 * origin. `cancelTimers` is left out, since the only timer to cancel is the one that fires.
 */
export const appendAtTimer = (
  stream: Omit<AppendRequest, 'events'>,
  { events, claims, timers }: Pick<Decision, 'events' | 'claims' | 'timers'>,
): AppendRequest => ({
  ...stream,
  events,
  ...(claims && { claims }),
  ...(timers && { timers: withOrigin(timers, stream.accountId, stream.metadata) }),
});

/** What is appended because of a timer, or in its place, is recorded with this. */
export const metadataOfTimer = ({
  id,
  kind,
  payload,
}: Pick<DueTimer, 'id' | 'kind' | 'payload'>): EventMetadata => ({
  correlationId: typeof payload.correlation_id === 'string' ? payload.correlation_id : id,
  causationId: typeof payload.causation_id === 'string' ? payload.causation_id : `timer:${id}`,
  commandId: null,
  actor: { kind: 'system', id: `timer:${kind}` },
  ...(typeof payload.chain_depth === 'number' ? { chainDepth: payload.chain_depth } : {}),
});
