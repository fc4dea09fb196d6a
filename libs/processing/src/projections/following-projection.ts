import type { EventSource } from '../event-source.ts';
import type { ReadLog } from '../log-reader.ts';
import type { Projection } from './projection.ts';

/** A projection that follows a log by itself, a little behind it, instead of being written by each append. */
export interface FollowingProjection {
  readonly kind: 'projection';
  readonly projection: Projection;
  /** Whose events; the service's own when absent. */
  readonly source?: EventSource;
  /** Its row in `es.checkpoints`, and what its owner holds. */
  readonly checkpoint: string;
}

/** For views that no answer depends on, and for those made from another service's events. */
export const followWith = (projection: Projection, source?: EventSource): FollowingProjection => ({
  kind: 'projection',
  projection,
  checkpoint: projection.checkpoint,
  ...(source ? { source } : {}),
});

/**
 * Another service's log as `rebuildProjection` and `verifyProjection` read it. Rejects when the service has no answer for
 * a part of it: to whoever follows it looks as if nothing were new, but what is made from it would be half a view.
 */
export const readLogOf =
  (source: EventSource, projection: Projection): ReadLog =>
  async ({ after, upTo, limit }) => {
    const { events, head, reached } = await source.read({ after, limit, types: projection.handles });
    if (reached >= head && head < upTo)
      throw new Error(`The log that ${projection.name} is made from was read to ${head} of ${upTo} only.`);
    return {
      events: events.filter((event) => event.position <= upTo),
      reached: Math.min(reached, upTo),
    };
  };
