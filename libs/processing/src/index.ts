export { withHeartbeats } from './database.ts';
export { type EventPage, type EventSource, type EventSubscription, ownLog } from './event-source.ts';
export type { ReadLog } from './log-reader.ts';
export { backoffMs, isOutage, pause } from './outages/backoff.ts';
export { throughOutages } from './outages/through-outages.ts';
export { untilTold } from './outages/until-told.ts';
export { createOwnershipKeeper, type Ownership, type OwnershipKeeper } from './ownership.ts';
export type { OnProblem, ProcessorProblem } from './problem.ts';
export type { Comparison, RowDifference } from './projections/compare-schemas.ts';
export { type DocumentEffect, documentColumns, writeDocuments } from './projections/documents.ts';
export type { OnProgress, Progress } from './projections/fill.ts';
export { createInlineProjector } from './projections/inline-projector.ts';
export { type KeepCurrentOptions, keepProjectionsCurrent } from './projections/keep-current.ts';
export { dropUnusedVersions, prepareProjections } from './projections/prepare-projections.ts';
export {
  defineProjection,
  liveSchema,
  type Projection,
  type ProjectionDb,
  type ProjectionDefinition,
  type ProjectionStatement,
} from './projections/projection.ts';
export {
  type ListedProjection,
  listProjections,
  type ProjectionStatus,
} from './projections/projection-status.ts';
export { type Rebuilt, rebuildProjection } from './projections/rebuild-projection.ts';
export { tableDigests } from './projections/schema.ts';
export type { Busy, ShadowOptions } from './projections/shadow-run.ts';
export { type Verified, verifyProjection } from './projections/verify-projection.ts';
export { BoundedWork } from './reactors/bounded-work.ts';
export {
  countDeadLetters,
  type DeadLetter,
  discardDeadLetter,
  type LetterName,
  listDeadLetters,
  retryDeadLetter,
} from './reactors/dead-letters.ts';
export { EventsInHand } from './reactors/events-in-hand.ts';
export { withEventsOfOthers } from './reactors/letter-events.ts';
export {
  byAccount,
  defineReactor,
  effectIdOf,
  type Reactor,
  type ReactorContext,
  type ReactorDefinition,
} from './reactors/reactor.ts';
export {
  type ReactorsOptions,
  type RunningReactors,
  startReactors,
} from './reactors/start-reactors.ts';
export { fireIfDue } from './timers/fire-timer.ts';
export { leaseMs, underLease } from './timers/lease.ts';
export { Parked } from './timers/parked.ts';
export { type Checked, earlierSend, sendChecks, silenceMs } from './timers/send-checks.ts';
export {
  appendAtTimer,
  type DueTimer,
  decidedWithOrigin,
  type TimerAppend,
  type TimerContext,
  type TimerHandler,
  withOrigin,
} from './timers/timer.ts';
export { type RunningTimers, startTimers, type TimersOptions } from './timers/timers.ts';
