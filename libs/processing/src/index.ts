export type { RowDifference } from './compare-schemas.ts';
export { type EventPage, type EventSource, type EventSubscription, ownLog } from './event-source.ts';
export type { OnProgress, Progress } from './fill.ts';
export { createInlineProjector } from './inline-projector.ts';
export type { ReadLog } from './log-reader.ts';
export { prepareProjections } from './prepare-projections.ts';
export {
  defineProjection,
  liveSchema,
  type Projection,
  type ProjectionDb,
  type ProjectionDefinition,
  type ProjectionStatement,
} from './projection.ts';
export { type ListedProjection, listProjections, type ProjectionStatus } from './projection-status.ts';
export { type Rebuilt, rebuildProjection } from './rebuild-projection.ts';
export type { Busy, ShadowOptions } from './shadow-run.ts';
export { type Verified, verifyProjection } from './verify-projection.ts';
