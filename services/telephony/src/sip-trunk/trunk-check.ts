import type {
  AppendRequest,
  ClaimChange,
  EventMetadata,
  JsonObject,
  TimerRequest,
} from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { type ReconcileParts, reconcileTrunk } from './reconcile-trunk.ts';
import { sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';

export const trunkCheckKind = 'sip-trunk-check';
export const trunkCheckId = (id: number): string => `${trunkCheckKind}-${id}`;

/** Later than any request to the platform takes: whoever was at it is done, or gone. */
const patienceMs = 45_000;

/** A trunk that is being changed. */
export interface CheckedTrunk {
  readonly id: number;
  readonly accountId: number;
  /** By which it is found on the platform. */
  readonly number: string;
  /** Whose turn it is. */
  readonly turn: string;
}

/** A second look at what the platform has of a trunk, in case nobody is left who knows; a later one replaces it. */
export const trunkCheck = (
  { id, accountId, number, turn }: CheckedTrunk,
  correlationId: string,
  afterMs = patienceMs,
): TimerRequest => ({
  id: trunkCheckId(id),
  kind: trunkCheckKind,
  due: { afterMs },
  payload: { trunk_id: id, account_id: accountId, number, turn, correlation_id: correlationId },
});

/** One change of a trunk at a time, over all copies: two would leave the platform with one and the log with the other. */
export const turnClaim = (op: ClaimChange['op'], { id, turn }: CheckedTrunk): ClaimChange => ({
  op,
  scope: 'sip-trunk-change',
  key: String(id),
  owner: turn,
});

const about = ({ id, accountId }: CheckedTrunk, metadata: EventMetadata) => ({
  streamId: sipTrunkStream(id),
  category: sipTrunkCategory,
  accountId,
  events: [],
  expectedVersion: 'any' as const,
  metadata,
});

/** An append that ends a turn. */
export const turnEnd = (trunk: CheckedTrunk, metadata: EventMetadata): AppendRequest => ({
  ...about(trunk, metadata),
  claims: [turnClaim('release', trunk)],
});

/** An append that has the trunk looked at again. */
export const lookAgain = (
  trunk: CheckedTrunk,
  metadata: EventMetadata,
  afterMs = patienceMs,
): AppendRequest => ({
  ...about(trunk, metadata),
  timers: [trunkCheck(trunk, metadata.correlationId, afterMs)],
});

/** Whatever was left undone is done here, as often as it takes. */
export const checkTrunk =
  (parts: ReconcileParts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const trunk = checkedTrunkOf(payload);
    const failure = await reconcileTrunk(parts, trunk);
    return failure ? lookAgain(trunk, metadata) : turnEnd(trunk, metadata);
  };

function checkedTrunkOf({ trunk_id, account_id, number, turn }: JsonObject): CheckedTrunk {
  if (
    typeof trunk_id !== 'number' ||
    typeof account_id !== 'number' ||
    typeof number !== 'string' ||
    typeof turn !== 'string'
  )
    throw new TypeError('A check names no SIP trunk.');
  return { id: trunk_id, accountId: account_id, number, turn };
}
