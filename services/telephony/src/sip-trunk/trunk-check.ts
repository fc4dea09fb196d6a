import type {
  AppendRequest,
  ClaimChange,
  EventMetadata,
  EventStore,
  JsonObject,
  TimerRequest,
} from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { type ReconcileParts, reconcileTrunk } from './reconcile-trunk.ts';
import { sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';

export const trunkCheckKind = 'sip-trunk-check';
/** Each turn has a check of its own, which no other turn's replaces. */
export const trunkCheckId = ({ id, turn }: CheckedTrunk): string => `${trunkCheckKind}-${id}-${turn}`;

/** Later than any request to the platform takes: whoever was at it is done, or gone. */
export const patienceMs = 45_000;
/** Until the platform may be there again, or another's turn over. */
const pauseMs = 5_000;

/** A trunk that is being changed. */
export interface CheckedTrunk {
  readonly id: number;
  readonly accountId: number;
  /** By which it is found on the platform. */
  readonly number: string;
  /** Whose turn it is. */
  readonly turn: string;
  /** Of the request for the change. */
  readonly commandId: string | null;
}

/** A second look at what the platform has of a trunk, in case nobody is left who knows; a turn's later one replaces it. */
export const trunkCheck = (
  trunk: CheckedTrunk,
  correlationId: string,
  afterMs = patienceMs,
): TimerRequest => ({
  id: trunkCheckId(trunk),
  kind: trunkCheckKind,
  due: { afterMs },
  payload: {
    trunk_id: trunk.id,
    account_id: trunk.accountId,
    number: trunk.number,
    turn: trunk.turn,
    command_id: trunk.commandId,
    correlation_id: correlationId,
  },
});

/** One change of a trunk at a time, over all copies: two would leave the platform with one and the log with the other. */
export const turnClaim = (op: ClaimChange['op'], { id, turn }: CheckedTrunk): ClaimChange => ({
  op,
  scope: 'sip-trunk-change',
  key: String(id),
  owner: turn,
});

/**
 * Of a repeated request one copy works or waits: repetitions get its result, and a stale waiter cannot undo later changes.
 */
export const requestClaim = (
  op: ClaimChange['op'],
  { commandId, turn }: CheckedTrunk,
): readonly ClaimChange[] =>
  commandId === null ? [] : [{ op, scope: 'sip-trunk-request', key: commandId, owner: turn }];

/** Nobody is at it any more. */
export const releasedClaims = (trunk: CheckedTrunk): readonly ClaimChange[] => [
  turnClaim('release', trunk),
  ...requestClaim('release', trunk),
];

/** An append about a trunk that is no event of it. */
const about = ({ id, accountId }: CheckedTrunk, metadata: EventMetadata) => ({
  streamId: sipTrunkStream(id),
  category: sipTrunkCategory,
  accountId,
  events: [],
  expectedVersion: 'any' as const,
  metadata,
});

/** An append that ends a turn, and its check. */
export const turnEnd = (trunk: CheckedTrunk, metadata: EventMetadata): AppendRequest => ({
  ...about(trunk, metadata),
  claims: releasedClaims(trunk),
  cancelTimers: [trunkCheckId(trunk)],
});

/** An append that has the trunk looked at again. */
export const lookAgain = (trunk: CheckedTrunk, metadata: EventMetadata, afterMs: number): AppendRequest => ({
  ...about(trunk, metadata),
  timers: [trunkCheck(trunk, metadata.correlationId, afterMs)],
});

export interface CheckParts extends ReconcileParts {
  readonly store: EventStore;
}

/** Whatever was left undone is done here, in the turn that left it, as often as it takes; another's turn is waited for. */
export const checkTrunk =
  (parts: CheckParts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const trunk = checkedTrunkOf(payload);
    const turn = await parts.store.append({
      ...about(trunk, metadata),
      claims: [turnClaim('take', trunk)],
    });
    const isDone = turn.kind === 'appended' && (await reconcileTrunk(parts, trunk)) === null;
    return isDone ? turnEnd(trunk, metadata) : lookAgain(trunk, metadata, pauseMs);
  };

function checkedTrunkOf({ trunk_id, account_id, number, turn, command_id }: JsonObject): CheckedTrunk {
  if (
    typeof trunk_id !== 'number' ||
    typeof account_id !== 'number' ||
    typeof number !== 'string' ||
    typeof turn !== 'string'
  )
    throw new TypeError('A check names no SIP trunk.');
  const commandId = typeof command_id === 'string' ? command_id : null;
  return { id: trunk_id, accountId: account_id, number, turn, commandId };
}
