import type { Actor } from '@parley/event-store';

interface ChainLink {
  readonly runId: string;
  readonly chainDepth: number;
}

/** Who acts when a run does: events tell by it how many runs led to them. */
export const chainActor = ({ runId, chainDepth }: ChainLink): Actor & { kind: 'automation' } => ({
  kind: 'automation',
  id: `run/${runId}:${chainDepth}`,
});

/** The depth of a run that this actor's event causes: 0, or one more than that of the run that acted. */
export function chainDepthAfter({ kind, id }: Actor): number {
  const depth = kind === 'automation' ? /^run\/[0-9a-f-]{36}:(\d{1,3})$/.exec(id)?.[1] : undefined;
  return depth === undefined ? 0 : Number(depth) + 1;
}

/** On what runs request over HTTP: it may reach a webhook that starts another one. */
export const chainHeader = 'x-parley-chain-depth';

/** The same for a webhook: 0, or one more than the depth that its headers tell. */
export function chainDepthOfRequest(headers: Readonly<Record<string, string>>): number {
  const depth = headers[chainHeader] ?? '';
  return /^\d{1,3}$/.test(depth) ? Number(depth) + 1 : 0;
}
