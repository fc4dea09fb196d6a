export { withHeartbeats } from './database.ts';
export { type EventPage, type EventSource, ownLog } from './event-source.ts';
export { backoffMs, isOutage, pause } from './outages/backoff.ts';
export { throughOutages } from './outages/through-outages.ts';
export { untilTold } from './outages/until-told.ts';
export { createOwnershipKeeper, type Ownership, type OwnershipKeeper } from './ownership.ts';
export type { OnProblem, ProcessorProblem } from './problem.ts';
export { type DocumentEffect, documentColumns, writeDocuments } from './projections/documents.ts';
export { createInlineProjector } from './projections/inline-projector.ts';
export { keepProjectionsCurrent } from './projections/keep-current.ts';
export { dropUnusedVersions, prepareProjections } from './projections/prepare-projections.ts';
export {
  defineProjection,
  liveSchema,
  type Projection,
  type ProjectionDb,
  type ProjectionStatement,
} from './projections/projection.ts';
export {
  type ListedProjection,
  listProjections,
} from './projections/projection-status.ts';
export { type Rebuilt, rebuildProjection } from './projections/rebuild-projection.ts';
export { tableDigests } from './projections/schema.ts';
export type { Busy } from './projections/shadow-run.ts';
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
export { withEventsOfOthers } from './reactors/letter-events.ts';
export {
  byAccount,
  defineReactor,
  effectIdOf,
  type Reactor,
  type ReactorContext,
} from './reactors/reactor.ts';
export { readReactorLag } from './reactors/reactor-lag.ts';
export { startReactors } from './reactors/start-reactors.ts';
export { lateBySeconds } from './timers/due-timers.ts';
export { fireIfDue } from './timers/fire-timer.ts';
export { leaseMs, underLease } from './timers/lease.ts';
export { Parked } from './timers/parked.ts';
export { type Checked, earlierSend, sendChecks, silenceMs } from './timers/send-checks.ts';
export {
  appendAtTimer,
  type DueTimer,
  decidedWithOrigin,
  metadataOfTimer,
  type TimerAppend,
  type TimerContext,
  type TimerHandler,
  withOrigin,
} from './timers/timer.ts';
export { startTimers, timersProcessor } from './timers/timers.ts';
export { WorkInHand } from './work-in-hand.ts';
