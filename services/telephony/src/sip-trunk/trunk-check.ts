import type {
  AppendRequest,
  ClaimChange,
  Clock,
  EventMetadata,
  EventStore,
  JsonObject,
  TimerRequest,
} from '@parley/event-store';
import type { TimerHandler } from '@parley/processing';
import { moveCalls } from './decisions.ts';
import { type ReconcileParts, reconcileTrunk } from './reconcile-trunk.ts';
import { nothingInbound, sipTrunk, sipTrunkCategory, sipTrunkStream } from './sip-trunk.ts';

export const trunkCheckKind = 'sip-trunk-check';
/** Id of a turn's check; each turn has its own. */
export const trunkCheckId = ({ id, turn }: CheckedTrunk): string => `${trunkCheckKind}-${id}-${turn}`;

/** Milliseconds, longer than any request to the platform: by then the process that made the change is done, or dead. */
export const patienceMs = 45_000;
/** Milliseconds until the next look, while the platform is away or another turn is under way. */
const pauseMs = 5_000;
/** Milliseconds between two looks at whether calls to a trunk's number can come in by it. */
const waitForCallsMs = 60_000;
/** Timer kind of the looks at calls. It is a kind of its own, as earlier releases would end such checks. */
export const trunkCallsKind = 'sip-trunk-calls';
/** The turn of the looks at calls: a trunk has one such check at most. */
const callsTurn = 'calls';

/** A trunk that is being changed or looked at, as its check knows it. */
export interface CheckedTrunk {
  readonly id: number;
  readonly accountId: number;
  /** The number by which it is found on the platform. */
  readonly number: string;
  /** Id of the turn. */
  readonly turn: string;
  /** Command of the change; null when there is none. */
  readonly commandId: string | null;
}

/**
 * Timer of a turn for a second look at what the platform has of the trunk, in case the process dies; setting it again
 * moves it.
 */
export const trunkCheck = (
  trunk: CheckedTrunk,
  correlationId: string,
  afterMs = patienceMs,
): TimerRequest => ({
  id: trunkCheckId(trunk),
  kind: trunk.turn === callsTurn ? trunkCallsKind : trunkCheckKind,
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

/**
 * Timer for a look at whether calls to the trunk's number come in by it. They come in by one trunk of the platform, and
 * a bought number goes before all trunks. A trunk that waits for calls looks again and again.
 */
export const callsCheck = (
  trunk: Pick<CheckedTrunk, 'id' | 'accountId' | 'number'>,
  correlationId: string,
): TimerRequest => trunkCheck({ ...trunk, turn: callsTurn, commandId: null }, correlationId, 0);

/**
 * Allows one change of a trunk at a time, over all copies of the service: of two, the platform might have one and the
 * log the other.
 */
export const turnClaim = (op: ClaimChange['op'], { id, turn }: CheckedTrunk): ClaimChange => ({
  op,
  scope: 'sip-trunk-change',
  key: String(id),
  owner: turn,
});

/**
 * Lets one copy work on a request: repetitions get its result, and one that has waited long cannot undo later changes.
 */
export const requestClaim = (
  op: ClaimChange['op'],
  { commandId, turn }: CheckedTrunk,
): readonly ClaimChange[] =>
  commandId === null ? [] : [{ op, scope: 'sip-trunk-request', key: commandId, owner: turn }];

/** The claims that the end of a turn releases. */
export const releasedClaims = (trunk: CheckedTrunk): readonly ClaimChange[] => [
  turnClaim('release', trunk),
  ...requestClaim('release', trunk),
];

/** An append on the trunk's stream without an event. */
const about = ({ id, accountId }: CheckedTrunk, metadata: EventMetadata) => ({
  streamId: sipTrunkStream(id),
  category: sipTrunkCategory,
  accountId,
  events: [],
  expectedVersion: 'any' as const,
  metadata,
});

/** An append that ends a turn and cancels its check. */
export const turnEnd = (trunk: CheckedTrunk, metadata: EventMetadata): AppendRequest => ({
  ...about(trunk, metadata),
  claims: releasedClaims(trunk),
  cancelTimers: [trunkCheckId(trunk)],
});

/** The same once the platform has what the log has. A trunk that waits for calls then looks at those. */
export const reconciledEnd = (
  trunk: CheckedTrunk,
  metadata: EventMetadata,
  { isWaiting }: { readonly isWaiting: boolean },
): AppendRequest => ({
  ...turnEnd(trunk, metadata),
  timers: isWaiting ? [callsCheck(trunk, metadata.correlationId)] : [],
});

/** An append that has the trunk looked at again, in the same turn. */
export const lookAgain = (trunk: CheckedTrunk, metadata: EventMetadata, afterMs: number): AppendRequest => ({
  ...about(trunk, metadata),
  timers: [trunkCheck(trunk, metadata.correlationId, afterMs)],
});

/** The same for a look at the calls. It leaves nothing undone, so the turn is free for others until then. */
const lookAtCallsAgain = (trunk: CheckedTrunk, metadata: EventMetadata, afterMs: number): AppendRequest => ({
  ...lookAgain(trunk, metadata, afterMs),
  claims: releasedClaims(trunk),
});

export interface CheckParts extends ReconcileParts {
  readonly clock: Clock;
  readonly store: EventStore;
}

/**
 * Timer handler: finishes what a turn left undone, in that turn, as often as it takes; waits while another turn is
 * under way.
 */
export const checkTrunk =
  (parts: CheckParts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const trunk = checkedTrunkOf(payload);
    const outcome = await reconcileInTurn(parts, trunk, metadata);
    return outcome?.kind === 'ok'
      ? reconciledEnd(trunk, metadata, outcome.value)
      : lookAgain(trunk, metadata, pauseMs);
  };

/** Timer handler: looks whether calls to a trunk's number can come in by it by now, or no longer do. */
export const lookAtCalls =
  (parts: CheckParts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const trunk = checkedTrunkOf(payload);
    const restMs = await findRest(parts, trunk);
    if (restMs !== null) return lookAtCallsAgain(trunk, metadata, restMs);
    const outcome = await reconcileInTurn(parts, trunk, metadata);
    return outcome?.kind === 'ok'
      ? checkCalls(parts, trunk, metadata)
      : lookAtCallsAgain(trunk, metadata, pauseMs);
  };

/** Reconciles the trunk; `null` while another turn is under way. */
async function reconcileInTurn(parts: CheckParts, trunk: CheckedTrunk, metadata: EventMetadata) {
  const claims = [turnClaim('take', trunk)];
  const turn = await parts.store.append({ ...about(trunk, metadata), claims });
  return turn.kind === 'appended' ? reconcileTrunk(parts, trunk) : null;
}

/**
 * Milliseconds until the next look if there is nothing to do, which one request to the platform tells; null when there
 * is.
 */
async function findRest({ aggregates, platform }: CheckParts, { id }: CheckedTrunk): Promise<number | null> {
  const { state } = await aggregates.load(sipTrunkStream(id), sipTrunk);
  if (state?.inbound_trunk_id !== nothingInbound) return null;
  const calls = await platform.callsOf({ id, number: state.phone_number });
  if (calls.kind !== 'ok') return pauseMs;
  return calls.value === 'of others' ? waitForCallsMs : null;
}

async function checkCalls(
  { aggregates, clock, passwords, platform }: CheckParts,
  trunk: CheckedTrunk,
  metadata: EventMetadata,
): Promise<AppendRequest> {
  const { id } = trunk;
  const { state, version } = await aggregates.load(sipTrunkStream(id), sipTrunk);
  if (!state) return turnEnd(trunk, metadata);
  const again = (afterMs: number) =>
    lookAtCallsAgain({ ...trunk, number: state.phone_number }, metadata, afterMs);
  const to = async (inboundTrunkId: string, end: AppendRequest): Promise<AppendRequest> => {
    const events = moveCalls(state, { inboundTrunkId, now: await clock.now() });
    return { ...end, events, expectedVersion: version };
  };
  const calls = await platform.callsOf({ id, number: state.phone_number });
  if (calls.kind !== 'ok') return again(pauseMs);
  if (calls.value === 'its own') return turnEnd(trunk, metadata);
  const password = await passwords.find(id, state.password_at);
  if (calls.value !== 'of nobody' || !password) return to(nothingInbound, again(waitForCallsMs));
  const taken = await platform.takeCalls({ id, settings: state, password });
  if (taken.kind !== 'ok') return again(pauseMs);
  return to(taken.value, taken.value === nothingInbound ? again(waitForCallsMs) : turnEnd(trunk, metadata));
}

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
