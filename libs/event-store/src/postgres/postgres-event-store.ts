import type pg from 'pg';
import type { EventStore, Upcaster } from '../port.ts';
import type { InlineProjector } from '../sql.ts';

export interface PostgresEventStoreOptions {
  /** The service's own database; it must exist. */
  readonly connectionString: string;
  readonly upcasters?: readonly Upcaster[];
  readonly inlineProjector?: InlineProjector;
  /** Appends beyond this many waiting are refused with `AppendQueueFull`; 10,000 when absent. */
  readonly maxQueuedAppends?: number;
  /** Connections for reads; 8 when absent. The writer and the listener have their own. */
  readonly maxConnections?: number;
  /** Told of connection losses and other background failures; nobody else hears of them. */
  readonly onError?: (error: unknown) => void;
}

export interface PostgresEventStore extends EventStore {
  /** For reads and for read models; `int8` comes as a number, the session's time zone is UTC. */
  readonly pool: pg.Pool;
}

/** Migrates the schema `es`, then opens the store. Any number of processes may open one database at once. */
export function createPostgresEventStore(_options: PostgresEventStoreOptions): Promise<PostgresEventStore> {
  return Promise.reject(new Error('The Postgres engine is being written.'));
}
