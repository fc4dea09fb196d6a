import type { Aggregates, Clock } from '@parley/event-store';
import { isUnanswered } from '@parley/message-bus';
import { inCallingFormat } from '@parley/phone-numbers';
import { Secret } from '@parley/process-kit';
import { backoffMs, isOutage, type pause, throughOutages } from '@parley/processing';
import type { OutgoingCall, ProviderFailure, ProviderResult, VoicePlatform } from '@parley/providers';
import { sipTrunk, sipTrunkStream } from '../sip-trunk/sip-trunk.ts';
import type { CarrierLine } from '../voice/carrier-line.ts';
import type { CarrierTurns } from '../voice/carrier-turns.ts';
import { briefOf } from './brief.ts';
import { isLive } from './call.ts';
import type { CallLog } from './call-log.ts';
import { awaitTurn, type CallRequestedData, dialed, notPlaced } from './decisions.ts';
import { obstacleTo } from './obstacle.ts';
import type { CallLookups } from './other-services.ts';
import type { PlacedCall } from './placed-call.ts';
import { ringingTimeoutS } from './timers/call-timer.ts';

export interface DialParts {
  readonly aggregates: Aggregates;
  readonly carrierLine: CarrierLine;
  readonly carrierTurns: Pick<CarrierTurns, 'take'>;
  /** Host of the chat app's SIP server. */
  readonly chatAddress: string;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly log: CallLog;
  readonly lookups: Pick<CallLookups, 'assistant' | 'obstacleTo' | 'sipAccountOf'>;
  readonly pause: typeof pause;
  readonly platform: VoicePlatform;
}

const tries = 3;
/** Milliseconds, give or take half, between two tries while the voice platform is unavailable; doubled each time. */
const pauseMs = 400;
/** Milliseconds for which the database is waited for: nobody wants a call much later. */
const patienceMs = 5_000;
/** Milliseconds for which a call waits for its turn on the line to the carrier at most, */
const longestWaitMs = 60_000;
/** and one of a campaign, which asks again, and may close by then. */
const longestWaitOfLeadMs = 10_000;

/**
 * Dials a call that is on record, once, and records the outcome through any outage of the database. Where the outcome
 * stays unknown, the call's timer looks it up.
 */
export async function dial(parts: DialParts, placed: PlacedCall): Promise<void> {
  const outcome = await dialOnce(parts, placed);
  const { accountId, data, metadata } = placed;
  switch (outcome.kind) {
    case 'ok':
      await throughOutages(parts.closing, () => parts.log.change(data.call_id, accountId, metadata, dialed));
      if (await isOver(parts, data)) await parts.platform.hangUp(data.room);
      return;
    case 'unknown':
      return;
    case 'rejected':
    case 'unavailable':
      await throughOutages(parts.closing, async () => {
        const now = await parts.clock.now();
        await parts.log.change(data.call_id, accountId, metadata, (state) =>
          notPlaced(state, { reason: outcome.message, mayPassLater: outcome.kind === 'unavailable' }, now),
        );
      });
      return;
    default:
      outcome satisfies never;
  }
}

/**
 * Whether the call was given up meanwhile as not placed: then nobody pays for it, and its campaign goes on without it.
 */
async function isOver({ log }: DialParts, { call_id }: CallRequestedData): Promise<boolean> {
  const { state } = await log.load(call_id);
  return isLive(state) && state.phase === 'ended';
}

/**
 * Tries to dial, again only after an answer that says for certain that nothing was dialed, and not while the process
 * ends. Without a way out nothing was dialed either, and it may work later.
 */
async function dialOnce(parts: DialParts, placed: PlacedCall): Promise<ProviderResult<undefined>> {
  for (let count = 1; ; count += 1) {
    const way = await wayOut(parts, placed).catch(notFoundOut);
    if (way.kind !== 'ok') return { kind: 'unavailable', message: way.message };
    const { via, to, carrierTrunkId } = way.value;
    const isCarrierLine = carrierTrunkId !== null;
    // It may have waited for its turn, or been tried before.
    const obstacle = isCarrierLine || count > 1 ? await obstacleTo(parts, placed) : null;
    if (obstacle !== null) return { kind: 'unavailable', message: obstacle };
    const { data } = placed;
    const outcome = await parts.platform.call({
      room: data.room,
      via,
      to,
      from: data.assistant_phone,
      brief: briefOf(data),
      ringingTimeoutS,
      maxDurationS: data.max_duration_s,
    });
    const isTrunkGone = outcome.kind === 'rejected' && outcome.code === 'not_found';
    if (outcome.kind !== 'unavailable' && !isTrunkGone) return outcome;
    if (isTrunkGone && isCarrierLine) parts.carrierLine.forget(carrierTrunkId);
    const isOwnTrunkGone = isTrunkGone && !isCarrierLine;
    const isLast = isOwnTrunkGone || count >= tries;
    // At random, so that calls of one moment do not all come back at once.
    if (!isLast && !isTrunkGone)
      await parts.pause(backoffMs(count, pauseMs) * (0.5 + Math.random()), parts.closing);
    if (isLast || parts.closing.aborted) return { kind: 'unavailable', message: outcome.message };
  }
}

/** Turns an outage while the way out was looked up into `unavailable`: nothing was dialed. */
function notFoundOut(error: unknown): ProviderFailure {
  if (!isOutage(error)) throw error;
  return { kind: 'unavailable', message: 'It could not be found out in time which way the call was to go.' };
}

interface WayOut {
  readonly via: OutgoingCall['via'];
  /** The number in the form that the server at the other end expects. */
  readonly to: string;
  /** The trunk to the carrier, where the call goes by that; else null. */
  readonly carrierTrunkId: string | null;
}

/** The way that the call takes: the chat app's server, the account's own SIP trunk, or the trunk to the carrier. */
async function wayOut(parts: DialParts, placed: PlacedCall): Promise<ProviderResult<WayOut>> {
  const { aggregates, carrierLine } = parts;
  const { accountId, data } = placed;
  if (data.channel === 'chatapp') return throughChatApp(parts, placed);
  const { customer_phone: to, phone_number_id: id } = data;
  const own =
    id === null ? undefined : await patiently(parts, () => aggregates.load(sipTrunkStream(id), sipTrunk));
  if (own && own.version > 0) {
    // No other way is taken: the carrier does not know the number, and the trunk was deleted so that no call goes by
    // it.
    if (!own.state || own.accountId !== accountId)
      return { kind: 'unavailable', message: 'The SIP trunk that the call was to go by is gone.' };
    const { outbound_trunk_id: trunkId, sip_calling_format, country_code } = own.state;
    const dialedNumber = inCallingFormat(to, sip_calling_format, country_code);
    return { kind: 'ok', value: { via: { trunkId }, to: dialedNumber, carrierTrunkId: null } };
  }
  const opened = await carrierLine.open();
  if (opened.kind !== 'ok') return opened;
  if (!(await hasTurn(parts, placed)))
    return {
      kind: 'unavailable',
      message: 'The line to the carrier had no room for one more new call in time.',
    };
  const { value: trunkId } = opened;
  return { kind: 'ok', value: { via: { trunkId }, to, carrierTrunkId: trunkId } };
}

/** Waits for the next turn on the line to the carrier; false where it is too late, or the process ends before. */
async function hasTurn(parts: DialParts, { accountId, data, metadata }: PlacedCall): Promise<boolean> {
  const { carrierTurns, closing, log, pause } = parts;
  const withinMs = data.lead_id === null ? longestWaitMs : longestWaitOfLeadMs;
  const waitMs = await patiently(parts, () => carrierTurns.take(withinMs));
  if (waitMs === null) return false;
  if (waitMs === 0) return true;
  await patiently(parts, () =>
    log.change(data.call_id, accountId, metadata, (state) => awaitTurn(state, waitMs)),
  );
  await pause(waitMs, closing);
  return !closing.aborted;
}

/** Waits for the database, for a while. */
const patiently = <T>({ closing }: Pick<DialParts, 'closing'>, task: () => Promise<T>): Promise<T> =>
  throughOutages(AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]), task);

/**
 * The way to the chat app's server, with the sender's present credentials, which the chat app may change at any time.
 */
async function throughChatApp(
  { chatAddress: address, lookups }: DialParts,
  { accountId, data: { sender_id: senderId, customer_phone: to }, metadata }: PlacedCall,
): Promise<ProviderResult<WayOut>> {
  try {
    const account =
      senderId === null ? null : await lookups.sipAccountOf(accountId, senderId, metadata.correlationId);
    if (!account)
      return {
        kind: 'rejected',
        code: null,
        message: 'The chat app has no SIP server on record for the sender.',
      };
    const credentials = { username: account.username, password: new Secret(account.password) };
    return { kind: 'ok', value: { via: { server: { address, credentials } }, to, carrierTrunkId: null } };
  } catch (error) {
    if (isUnanswered(error)) return { kind: 'unavailable', message: error.message };
    throw error;
  }
}
