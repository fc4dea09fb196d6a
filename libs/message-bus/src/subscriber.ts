import type { RecordedEventMessage } from '@parley/contracts';
import type { NatsConnection } from './connection.ts';
import type { BusClient } from './message.ts';

export interface EventSubscriptionOptions {
  readonly connection: NatsConnection;
  /** Whose events. */
  readonly service: string;
  /** The last position handled already; 0 for all of the log. */
  readonly after: number;
  /**
   * Gets events in order, without gaps and without duplicates; the next call comes after it has resolved. When it
   * rejects, the same events come again, with backoff.
   */
  readonly handle: (events: readonly RecordedEventMessage[]) => Promise<void>;
  /** How missed events are read: the client asks `qry.<service>.read-events`. */
  readonly readPage:
    | BusClient
    | ((after: number, limit: number) => Promise<{ events: readonly RecordedEventMessage[]; head: number }>);
  /** How often to look for events whose announcement was lost. 5,000 when absent. */
  readonly pollMs?: number;
  readonly onError?: (error: unknown) => void;
}

export interface EventSubscription {
  /** The last position handled. */
  readonly position: number;
  /** Resolves when the handler is done with what it has. */
  close(): Promise<void>;
}

/** Follows another service's events: live ones as they come, missed ones by pages. */
export function subscribeToEvents(options: EventSubscriptionOptions): EventSubscription {
  throw new Error(`${options.service}: not built yet`);
}
