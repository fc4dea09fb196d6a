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
/** Each turn has a check of its own, which no other turn's replaces. */
export const trunkCheckId = ({ id, turn }: CheckedTrunk): string => `${trunkCheckKind}-${id}-${turn}`;

/** Later than any request to the platform takes: whoever was at it is done, or gone. */
export const patienceMs = 45_000;
/** Until the platform may be there again, or another's turn over. */
const pauseMs = 5_000;
/** Between two looks at whether the calls to a trunk's number may come in by it by now. */
const waitForCallsMs = 60_000;
/** Looks at who has the calls; a kind of its own, since copies of before there were any would end them. */
export const trunkCallsKind = 'sip-trunk-calls';
/** The turn of those looks: a trunk has one such check at most. */
const callsTurn = 'calls';

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
 * A look at whether calls to the trunk's number come in by it: they come in by one trunk on the platform, and a bought
 * number has them before all trunks. Whoever waits for them looks again.
 */
export const callsCheck = (
  trunk: Pick<CheckedTrunk, 'id' | 'accountId' | 'number'>,
  correlationId: string,
): TimerRequest => trunkCheck({ ...trunk, turn: callsTurn, commandId: null }, correlationId, 0);

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

/** The same where the platform has what the log says; whoever waits for calls then looks at those. */
export const reconciledEnd = (
  trunk: CheckedTrunk,
  metadata: EventMetadata,
  { isWaiting }: { readonly isWaiting: boolean },
): AppendRequest => ({
  ...turnEnd(trunk, metadata),
  timers: isWaiting ? [callsCheck(trunk, metadata.correlationId)] : [],
});

/** An append that has the trunk looked at again. */
export const lookAgain = (trunk: CheckedTrunk, metadata: EventMetadata, afterMs: number): AppendRequest => ({
  ...about(trunk, metadata),
  timers: [trunkCheck(trunk, metadata.correlationId, afterMs)],
});

/** The same for a look at the calls, which leaves nothing undone: nobody waits for it. */
const lookAtCallsAgain = (trunk: CheckedTrunk, metadata: EventMetadata, afterMs: number): AppendRequest => ({
  ...lookAgain(trunk, metadata, afterMs),
  claims: releasedClaims(trunk),
});

export interface CheckParts extends ReconcileParts {
  readonly clock: Clock;
  readonly store: EventStore;
}

/** Whatever was left undone is done here, in the turn that left it, as often as it takes; another's turn is waited for. */
export const checkTrunk =
  (parts: CheckParts): TimerHandler =>
  async ({ payload }, { metadata }) => {
    const trunk = checkedTrunkOf(payload);
    const outcome = await reconcileInTurn(parts, trunk, metadata);
    return outcome?.kind === 'ok'
      ? reconciledEnd(trunk, metadata, outcome.value)
      : lookAgain(trunk, metadata, pauseMs);
  };

/** Whether the calls to a trunk's number may come in by it by now, or do no more. */
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

/** `null` while it is another's turn. */
async function reconcileInTurn(parts: CheckParts, trunk: CheckedTrunk, metadata: EventMetadata) {
  const claims = [turnClaim('take', trunk)];
  const turn = await parts.store.append({ ...about(trunk, metadata), claims });
  return turn.kind === 'appended' ? reconcileTrunk(parts, trunk) : null;
}

/** Milliseconds until the next look where there is nothing to do, as nearly always; one question tells. */
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
