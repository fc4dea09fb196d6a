import { type Rejection, reject } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { Organiser, OrganiserEvent } from './organiser.ts';
import { claimOn, type OrganiserKind } from './organiser-kind.ts';

/** Deletes an organiser for ever; its name is free again. */
export function deleteOrganiser(
  kind: OrganiserKind,
  state: Organiser,
  { accountId }: { readonly accountId: number },
): Decision<OrganiserEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [kind.deleted()],
    claims: [claimOn(kind, { accountId, id: state.id }, 'release', state.name)],
    reply: { message: `${kind.title} deleted successfully` },
  };
}
