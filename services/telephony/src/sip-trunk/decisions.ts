import { type Rejection, reject, type SipTrunkEvent } from '@parley/contracts';
import type { ClaimChange, Decision } from '@parley/event-store';
import { changedSettings, differences } from './settings.ts';
import {
  nothingInbound,
  type PlatformIds,
  type SipTrunk,
  type SipTrunkSettings,
  sipTrunk,
  sipTrunkStream,
  toItem,
} from './sip-trunk.ts';

interface Answer {
  readonly message: string;
  readonly data: ReturnType<typeof toItem>;
}

/** A trunk is a duplicate within the account when number, username and address are equal (decisions, section 8). */
const duplicateKey = ({ phone_number, sip_username, sip_address }: SipTrunkSettings): string =>
  JSON.stringify([phone_number, sip_username, sip_address.toLowerCase()]);

const exists = (): Rejection => reject('sip_trunk_exists');

/**
 * Records a trunk that the voice platform has by now, under `ids`. Rejected when it duplicates another of the account.
 */
export function createSipTrunk(
  state: SipTrunk,
  {
    accountId,
    id,
    now,
    settings,
    ids,
  }: {
    readonly accountId: number;
    readonly id: number;
    readonly now: Date;
    readonly settings: SipTrunkSettings;
    readonly ids: PlatformIds;
  },
): Decision<SipTrunkEvent, Answer> {
  if (state) throw new Error(`SIP trunk ${id} was given out twice.`);
  const event: SipTrunkEvent = {
    type: 'SipTrunkCreated',
    data: { id, ...settings, ...ids, created_at: now.toISOString() },
  };
  return {
    events: [event],
    claims: claims(accountId, id, null, settings),
    onClaimTaken: exists,
    reply: { message: 'SIP trunk created successfully', data: shown(null, [event]) },
  };
}

/**
 * Records a change that the voice platform has by now, under `ids`; no event when nothing changed. Rejected when the
 * trunk would duplicate another of the account.
 */
export function updateSipTrunk(
  state: SipTrunk,
  {
    accountId,
    now,
    change,
    isNewPassword,
    ids,
  }: {
    readonly accountId: number;
    readonly now: Date;
    readonly change: Parameters<typeof changedSettings>[1];
    readonly isNewPassword: boolean;
    readonly ids: PlatformIds;
  },
): Decision<SipTrunkEvent, Answer> | Rejection {
  if (!state) return reject('not_found');
  const settings = changedSettings(state, change);
  if ('code' in settings) return settings;
  const { id } = state;
  const updated_at = now.toISOString();
  const changed = differences(state, settings);
  const events: SipTrunkEvent[] = [];
  if (Object.keys(changed).length > 0)
    events.push({ type: 'SipTrunkChanged', data: { id, ...changed, updated_at } });
  if (isNewPassword) events.push({ type: 'SipTrunkPasswordChanged', data: { id, updated_at } });
  if (isRemade(state, ids)) events.push({ type: 'SipTrunkRemade', data: { id, ...ids, updated_at } });
  else events.push(...moveCalls(state, { inboundTrunkId: ids.inbound_trunk_id, now }));
  return {
    events,
    claims: claims(accountId, id, state, settings),
    onClaimTaken: exists,
    reply: { message: 'SIP trunk updated successfully', data: shown(state, events) },
  };
}

/**
 * Whether a direction was made anew under another id. That the trunk gained or lost the calls to its number does not
 * count.
 */
const isRemade = (before: PlatformIds, after: PlatformIds): boolean =>
  after.outbound_trunk_id !== before.outbound_trunk_id ||
  (![before.inbound_trunk_id, after.inbound_trunk_id].includes(nothingInbound) &&
    after.inbound_trunk_id !== before.inbound_trunk_id);

/**
 * The event for a change of the inbound id: calls to the number come in by this trunk, or no more (`nothingInbound`).
 */
export const moveCalls = (
  { id, inbound_trunk_id }: NonNullable<SipTrunk>,
  { inboundTrunkId, now }: { readonly inboundTrunkId: string; readonly now: Date },
): readonly SipTrunkEvent[] =>
  inboundTrunkId === inbound_trunk_id
    ? []
    : [
        {
          type: 'SipTrunkInboundChanged',
          data: { id, inbound_trunk_id: inboundTrunkId, updated_at: now.toISOString() },
        },
      ];

/** Records that the trunk is deleted; the platform still has it and is told afterwards. */
export function deleteSipTrunk(
  state: SipTrunk,
  accountId: number,
): Decision<SipTrunkEvent, { readonly message: string }> | Rejection {
  if (!state) return reject('not_found');
  return {
    events: [{ type: 'SipTrunkDeleted', data: { id: state.id } }],
    claims: claims(accountId, state.id, state, null),
    reply: { message: 'SIP trunk deleted successfully' },
  };
}

function claims(
  accountId: number,
  id: number,
  before: SipTrunkSettings | null,
  after: SipTrunkSettings | null,
): readonly ClaimChange[] {
  const [held, wanted] = [before && duplicateKey(before), after && duplicateKey(after)];
  if (held === wanted) return [];
  const change = (op: ClaimChange['op'], key: string | null): ClaimChange[] =>
    key === null ? [] : [{ op, scope: `sip-trunk:${accountId}`, key, owner: sipTrunkStream(id) }];
  return [...change('release', held), ...change('take', wanted)];
}

function shown(state: SipTrunk, events: readonly SipTrunkEvent[]): Answer['data'] {
  const after = events.reduce(sipTrunk.evolve, state);
  if (!after) throw new Error('A SIP trunk that is answered with exists.');
  return toItem(after);
}
