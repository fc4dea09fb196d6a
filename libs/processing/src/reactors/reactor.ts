import type { AppendRequest, EventMetadata, EventStore, RecordedEvent } from '@parley/event-store';
import { v5 as uuidv5 } from 'uuid';
import type { EventSource } from '../event-source.ts';

export interface ReactorContext {
  readonly store: EventStore;
  /**
   * The id of a command this event causes: the same at every attempt and in every process, so that what is sent twice
   * is effective once. Several commands of one event need different labels.
   */
  readonly effectId: (label?: string) => string;
  /** For the append or command: caused by the event, in its correlation, by the reactor. */
  readonly metadata: EventMetadata;
  /** From 1. */
  readonly attempt: number;
  /** Aborted when the work is to stop, because the process ends or another one has taken over. */
  readonly signal: AbortSignal;
}

export interface ReactorDefinition<Event extends { readonly type: string } = { readonly type: string }> {
  /** Unique in the service; its checkpoint is kept under it. */
  readonly name: string;
  readonly handles: readonly Event['type'][];
  /** Whose events; the service's own when absent. The checkpoint is kept in this service's database either way. */
  readonly source?: EventSource;
  /**
   * How long the next page of another service's log forms while events keep coming; milliseconds, 0 when absent. The
   * first event after a pause never waits.
   */
  readonly restMs?: number;
  /**
   * Looks up at once what the events of a page need, before they are reacted to one by one. A hint: it may be left out,
   * fail, or be long ago when an event's turn comes.
   */
  prepare?(events: readonly (RecordedEvent & Event)[]): Promise<void>;
  /**
   * The effect of one event. An append that is returned happens exactly once: it moves the checkpoint in its own
   * transaction or, in lanes, is known by a command id of the event, if it has none of its own. Commands sent from here
   * carry `effectId`, because they are repeated when the process dies before the checkpoint moves. A thrown error is
   * retried with backoff; after `maxAttempts` the event becomes a dead letter and the reactor goes on. During outages,
   * and while others write a stream without pause, it waits, for ever.
   */
  react(
    event: RecordedEvent & Event,
    context: ReactorContext,
  ): AppendRequest | undefined | Promise<AppendRequest | undefined>;
  /** 5 when absent. */
  readonly maxAttempts?: number;
  /**
   * True for reactors that restore what an import does not carry. Others skip imported events, whose consequences were
   * imported too. False when absent.
   */
  readonly actsOnImported?: boolean;
  /**
   * What an event waits for: those of one lane are reacted to one after the other, those of other lanes beside them, so
   * that what takes long for one account holds up no other. All of one lane when absent. With lanes the checkpoint
   * follows the oldest event that is not done, so that those behind it come again when a process dies: what led to nothing
   * may then lead to something.
   */
  laneOf?(event: RecordedEvent & Event): string;
}

export interface Reactor extends ReactorDefinition {
  /** Its row in `es.checkpoints`, and what its owner holds. */
  readonly checkpoint: string;
}

/** Lanes by account, for reactors that may have to wait: one account's events then hold up no other's. */
export const byAccount = ({ accountId }: Pick<RecordedEvent, 'accountId'>): string => String(accountId);

/** A reactor never runs on a rebuild, and in one copy of the service at a time. */
export const defineReactor = <Event extends { readonly type: string }>(
  definition: ReactorDefinition<Event>,
): Reactor => ({
  ...definition,
  checkpoint: `reactor:${definition.name}`,
});

/**
 * Command id for what a reactor causes because of an event: the same at every attempt, so that the command is
 * effective once. `label` tells several commands of one event apart.
 */
export const effectIdOf = (eventId: string, processor: string, label?: string): string =>
  uuidv5(label === undefined ? processor : `${processor}:${label}`, eventId);

/** What an event causes carries on its correlation, and how deep the run is that it goes back to. */
export const metadataAfter = ({ eventId, metadata }: RecordedEvent, processor: string): EventMetadata => ({
  correlationId: metadata.correlationId,
  causationId: eventId,
  commandId: null,
  actor: { kind: 'system', id: processor },
  ...(metadata.traceparent === undefined ? {} : { traceparent: metadata.traceparent }),
  chainDepth: metadata.chainDepth,
});
