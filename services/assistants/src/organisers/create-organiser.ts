import { invalidField, type Rejection } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import { toItem } from './item.ts';
import type { Organiser, OrganiserColor, OrganiserEvent } from './organiser.ts';
import { claimOn, type OrganiserKind } from './organiser-kind.ts';

export interface CreateOrganiser {
  readonly accountId: number;
  /** A new id, which no other organiser of the kind ever has. */
  readonly id: number;
  readonly name: string;
  readonly color?: OrganiserColor | null | undefined;
}

export interface OrganiserAnswer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/** Creates a folder or label; `invalid` when its name is taken. */
export function createOrganiser(
  kind: OrganiserKind,
  state: Organiser,
  { accountId, id, name, color: wanted }: CreateOrganiser,
): Decision<OrganiserEvent, OrganiserAnswer> {
  const color = wanted ?? kind.defaultColor;
  if (state) throw new Error(`${kind.noun} ${id} was given out twice.`);
  return {
    events: [kind.created({ id, name, color })],
    claims: [claimOn(kind, { accountId, id }, 'take', name)],
    onClaimTaken: nameTaken,
    reply: { message: `${kind.title} created successfully`, data: toItem(kind, { id, name, color }) },
  };
}

/** The rejection of a name that is taken: a validation failure of `name` (specification, section 7). */
export const nameTaken = (): Rejection => invalidField('name', 'The name has already been taken.');
