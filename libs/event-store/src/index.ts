export { Aggregates } from './aggregates/aggregates.ts';
export * from './aggregates/decider.ts';
export type { ExecuteOptions } from './aggregates/execute-options.ts';
export { type ExecuteResult, mustBeDone } from './aggregates/execute-result.ts';
export { foldOnto, type Loaded, nothingYet } from './aggregates/folding.ts';
export { KeyedLanes } from './aggregates/keyed-lanes.ts';
export { Contended, LostRaces } from './aggregates/lost-races.ts';
export { makeBesideLog } from './beside-the-log.ts';
export { findClaimOwner } from './claim-owner.ts';
export { type Clock, createClock, getClockOffset, setClockOffset } from './clock.ts';
export { createDecoder, type DecodeEvents } from './decode-events.ts';
export { newEventId } from './event-id.ts';
export { createIdAllocator, type IdAllocator, idsPerBlock } from './id-allocator.ts';
export {
  createInMemoryEventStore,
  type InMemoryEventStore,
} from './in-memory.ts';
export { happenedBy } from './moment.ts';
export { payloadLength } from './payload-length.ts';
export * from './port.ts';
export { forLookUps, lookUpTime, scanTime } from './postgres/connection/answer-time.ts';
export { onOneConnection } from './postgres/connection/one-connection.ts';
export { PrimaryClient } from './postgres/connection/primary-client.ts';
export {
  closeClient,
  keptAlive,
  lostAtRest,
  sessionSilenceMs,
  withSettings,
} from './postgres/connection/session.ts';
export { migrate } from './postgres/migrate.ts';
export {
  createPostgresEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
} from './postgres/postgres-event-store.ts';
export { createLogReader } from './postgres/read/read-log.ts';
export { Reader as PostgresReader } from './postgres/read/reader.ts';
export { replaceUnstorable } from './replace-unstorable.ts';
export type { EventSeals } from './seals.ts';
export * from './sql.ts';
export { chunksDownFrom, chunksFrom } from './stream-chunks.ts';
