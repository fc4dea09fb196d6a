import type { RecordedEventMessage } from '@parley/contracts';
import type { NatsConnection } from './connection.ts';

/** Being the one of all copies that does something; structural, so that any lock can provide it. */
export interface Ownership {
  /** Aborted when the ownership is lost: stop at once. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface EventPublisherOptions {
  readonly connection: NatsConnection;
  /** Stream `EVT_<SERVICE>`, subjects `evt.<service>.<category>.<type>`. */
  readonly service: string;
  /** A page of the log in position order: at most `limit` events with a position greater than `after`. */
  readonly readPage: (after: number, limit: number) => Promise<readonly RecordedEventMessage[]>;
  /** Calls back soon after events were appended; returns how to stop that. */
  readonly onAppended: (wake: () => void) => () => void;
  /** Resolves once this copy is the only publisher; rejects when `signal` is aborted. At once when absent. */
  readonly acquire?: (signal: AbortSignal) => Promise<Ownership>;
  /** JetStream keeps at most this many bytes, newest first. 1 GiB when absent. */
  readonly maxBytes?: number;
  /** Replicas of the stream, for NATS clusters. 1 when absent. */
  readonly replicas?: number;
  /** Told about every failure; publishing goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface EventPublisher {
  /** The newest position JetStream has acknowledged; 0 before the first. */
  readonly position: number;
  /** Stops after what is in flight and gives the ownership back. */
  close(): Promise<void>;
}

/**
 * Sends the log to JetStream in order, from wherever the stream ends: the stream itself is the checkpoint, so a lost
 * tail (or a lost stream) is simply sent again, under the same message ids. Never throws; failures are retried.
 */
export function createEventPublisher(options: EventPublisherOptions): EventPublisher {
  throw new Error(`${options.service}: not built yet`);
}
