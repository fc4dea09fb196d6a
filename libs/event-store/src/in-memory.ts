import type { EventStore, Upcaster } from './port.ts';

export interface InMemoryOptions {
  readonly upcasters?: readonly Upcaster[];
  readonly now?: () => Date;
}

/** The port in memory, for tests: same contract suite as the Postgres engine, nothing durable. */
export function createInMemoryEventStore(_options: InMemoryOptions = {}): EventStore {
  throw new Error('The in-memory engine is being written.');
}
