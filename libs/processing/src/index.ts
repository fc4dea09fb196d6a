export { backoffMs, isOutage, pause } from './backoff.ts';
export { BoundedWork } from './bounded-work.ts';
export type { Comparison, RowDifference } from './compare-schemas.ts';
export { withHeartbeats } from './database.ts';
export { type DocumentEffect, documentColumns, writeDocuments } from './documents.ts';
export { type EventPage, type EventSource, type EventSubscription, ownLog } from './event-source.ts';
export type { OnProgress, Progress } from './fill.ts';
export { fireIfDue } from './fire-timer.ts';
export { type FollowingProjection, followWith, readLogOf } from './following-projection.ts';
export { createInlineProjector } from './inline-projector.ts';
export { type KeepCurrentOptions, keepProjectionsCurrent } from './keep-current.ts';
export { leaseMs, underLease } from './lease.ts';
export type { ReadLog } from './log-reader.ts';
export { createOwnershipKeeper, type Ownership, type OwnershipKeeper } from './ownership.ts';
export { Parked } from './parked.ts';
export { dropUnusedVersions, prepareProjections } from './prepare-projections.ts';
export type { OnProblem, ProcessorProblem } from './problem.ts';
export {
  defineProcessManager,
  type ProcessInput,
  type ProcessManager,
  type ProcessManagerDefinition,
  type ProcessStream,
} from './process-manager.ts';
export {
  type Processor,
  type ProcessorsOptions,
  type RunningProcessors,
  startProcessors,
} from './processors.ts';
export {
  defineProjection,
  liveSchema,
  type Projection,
  type ProjectionDb,
  type ProjectionDefinition,
  type ProjectionStatement,
} from './projection.ts';
export { type ListedProjection, listProjections, type ProjectionStatus } from './projection-status.ts';
export {
  byAccount,
  defineReactor,
  effectIdOf,
  type Reactor,
  type ReactorContext,
  type ReactorDefinition,
} from './reactor.ts';
export { type Rebuilt, rebuildProjection } from './rebuild-projection.ts';
export { tableDigests } from './schema.ts';
export { type Checked, earlierSend, sendChecks, silenceMs } from './send-checks.ts';
export type { Busy, ShadowOptions } from './shadow-run.ts';
export { throughOutages } from './through-outages.ts';
export {
  appendAtTimer,
  type DueTimer,
  decidedWithOrigin,
  type TimerAppend,
  type TimerContext,
  type TimerHandler,
  withOrigin,
} from './timer.ts';
export { type RunningTimers, startTimers, type TimersOptions } from './timers.ts';
export { untilTold } from './until-told.ts';
export { type Verified, verifyProjection } from './verify-projection.ts';
