export {
  Aggregates,
  type AggregatesOptions,
  type Executed,
  type ExecuteOptions,
  type ExecuteResult,
  type Loaded,
  type Moment,
  type Refused,
} from './aggregates.ts';
export { type Clock, createClock, getClockOffset, setClockOffset } from './clock.ts';
export * from './decider.ts';
export { createIdAllocator, type IdAllocator } from './id-allocator.ts';
export { createInMemoryEventStore, type InMemoryOptions } from './in-memory.ts';
export * from './port.ts';
export {
  createPostgresEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
} from './postgres/postgres-event-store.ts';
export * from './sql.ts';
