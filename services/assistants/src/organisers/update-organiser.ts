import { type Rejection, reject } from '@parley/contracts';
import type { ClaimChange, Decision } from '@parley/event-store';
import { nameTaken, type OrganiserAnswer } from './create-organiser.ts';
import { toItem } from './item.ts';
import { type Organiser, type OrganiserColor, type OrganiserEvent, organiser } from './organiser.ts';
import { claimOn, type OrganiserKind } from './organiser-kind.ts';

/** Only what is given is changed; `color: null` stands for the kind's default. */
export interface UpdateOrganiser {
  readonly accountId: number;
  readonly name?: string | undefined;
  readonly color?: OrganiserColor | null | undefined;
  /** How many assistants are in it, for the answer. */
  readonly assistantsCount: number;
}

/** Succeeds without an event when nothing would change. */
export function updateOrganiser(
  kind: OrganiserKind,
  state: Organiser,
  { accountId, name, color, assistantsCount }: UpdateOrganiser,
): Decision<OrganiserEvent, OrganiserAnswer> | Rejection {
  if (!state) return reject('not_found');
  const events: OrganiserEvent[] = [];
  const claims: ClaimChange[] = [];
  const owner = { accountId, id: state.id };
  if (name !== undefined && name !== state.name) {
    events.push(kind.renamed(name));
    claims.push(claimOn(kind, owner, 'release', state.name), claimOn(kind, owner, 'take', name));
  }
  const [before, wanted] = [state.color ?? kind.defaultColor, color ?? kind.defaultColor];
  if (color !== undefined && wanted !== before) events.push(kind.recolored(wanted));
  const after = events.reduce(organiser.evolve, state) ?? state;
  return {
    events,
    claims,
    onClaimTaken: nameTaken,
    reply: { message: `${kind.title} updated successfully`, data: toItem(kind, after, assistantsCount) },
  };
}
