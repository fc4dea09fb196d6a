import { chainDepthIn, chainHeader } from '@parley/contracts';
import type { Actor, EventMetadata } from '@parley/event-store';

interface ChainLink {
  readonly runId: string;
  readonly chainDepth: number;
}

/** Who acts when a run does: events tell by it how many runs led to them. */
export const chainActor = ({ runId, chainDepth }: ChainLink): Actor & { kind: 'automation' } => ({
  kind: 'automation',
  id: `run/${runId}:${chainDepth}`,
});

/** The depth of a run that an event causes: 0, or one more than that of the run that acted, or that it goes back to. */
export function chainDepthAfter({ actor, chainDepth }: Pick<EventMetadata, 'actor' | 'chainDepth'>): number {
  const { kind, id } = actor;
  const depth = kind === 'automation' ? /^run\/[0-9a-f-]{36}:(\d{1,3})$/.exec(id)?.[1] : chainDepth;
  return depthBelow(depth === undefined ? undefined : Number(depth));
}

/** The same for a webhook, by its headers. */
export const chainDepthOfRequest = (headers: Readonly<Record<string, string>>): number =>
  depthBelow(chainDepthIn(headers[chainHeader]));

/** Of what a run of this depth asks for; 0 where none does. */
export const depthBelow = (depth: number | undefined): number => (depth === undefined ? 0 : depth + 1);
