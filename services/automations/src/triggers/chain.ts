import { chainDepthIn, chainHeader } from '@parley/contracts';
import type { Actor, EventMetadata } from '@parley/event-store';

interface ChainLink {
  readonly runId: string;
  readonly chainDepth: number;
}

/** The actor of what a run does. Its id holds the chain depth, so that events tell how many runs led to them. */
export const chainActor = ({ runId, chainDepth }: ChainLink): Actor & { kind: 'automation' } => ({
  kind: 'automation',
  id: `run/${runId}:${chainDepth}`,
});

/**
 * Chain depth of a run that the event starts: 0, or one more than that of the run that acted, or that the event goes
 * back to.
 */
export function chainDepthAfter({ actor, chainDepth }: Pick<EventMetadata, 'actor' | 'chainDepth'>): number {
  const { kind, id } = actor;
  const depth = kind === 'automation' ? /^run\/[0-9a-f-]{36}:(\d{1,3})$/.exec(id)?.[1] : chainDepth;
  return depthBelow(depth === undefined ? undefined : Number(depth));
}

/** Chain depth of a run that a webhook starts, by the request's headers. */
export const chainDepthOfRequest = (headers: Readonly<Record<string, string>>): number =>
  depthBelow(chainDepthIn(headers[chainHeader]));

/** Chain depth of what a run at `depth` leads to; 0 where no run does. */
export const depthBelow = (depth: number | undefined): number => (depth === undefined ? 0 : depth + 1);
