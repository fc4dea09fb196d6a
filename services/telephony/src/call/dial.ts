import type { Aggregates, Clock, EventMetadata } from '@parley/event-store';
import { inCallingFormat } from '@parley/phone-numbers';
import { throughOutages } from '@parley/processing';
import type { ProviderResult, VoicePlatform } from '@parley/providers';
import { sipTrunk, sipTrunkStream } from '../sip-trunk/sip-trunk.ts';
import type { SharedLine, SharedLines } from '../voice/lines.ts';
import { isLive } from './call.ts';
import type { CallLog } from './call-log.ts';
import { ringingTimeoutS } from './call-timer.ts';
import { type CallRequestedData, dialed, notPlaced } from './decisions.ts';

export interface DialParts {
  readonly aggregates: Aggregates;
  readonly clock: Clock;
  readonly closing: AbortSignal;
  readonly lines: SharedLines;
  readonly log: CallLog;
  readonly platform: VoicePlatform;
}

/** A call on record that is to be dialed. */
export interface PlacedCall {
  readonly accountId: number;
  readonly data: CallRequestedData;
  readonly metadata: EventMetadata;
}

const tries = 3;
/** Whoever asked for a call does not want it much later. */
const patienceMs = 5_000;

/**
 * Dials a call whose intent is on record: once, whatever happens, and puts on record what came of it, through any outage.
 * What stays unknown is looked up by the call's timer.
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
          notPlaced(state, outcome.message, now),
        );
      });
      return;
    default:
      outcome satisfies never;
  }
}

/** It took so long that the call was given up as not placed: nobody pays for it, and its campaign goes on without it. */
async function isOver({ log }: DialParts, { call_id }: CallRequestedData): Promise<boolean> {
  const { state } = await log.load(call_id);
  return isLive(state) && state.phase === 'ended';
}

/** Again only after an answer that says for certain that nothing was dialed. */
async function dialOnce(parts: DialParts, placed: PlacedCall): Promise<ProviderResult<undefined>> {
  for (let count = 1; ; count += 1) {
    const way = await wayOut(parts, placed);
    if (way.kind !== 'ok') return way.kind === 'unknown' ? { ...way, kind: 'unavailable' } : way;
    const { trunkId, to, sharedLine } = way.value;
    const { data } = placed;
    const outcome = await parts.platform.call({
      room: data.room,
      trunkId,
      to,
      from: data.assistant_phone,
      brief: {
        call_id: data.call_id,
        assistant_id: data.assistant_id,
        input_variables: data.input_variables,
        max_duration_s: data.max_duration_s,
      },
      ringingTimeoutS,
      maxDurationS: data.max_duration_s,
    });
    if (count >= tries) return outcome;
    const isLineGone = outcome.kind === 'rejected' && outcome.code === 'not_found' && sharedLine;
    if (isLineGone) parts.lines.forget(sharedLine);
    else if (outcome.kind !== 'unavailable') return outcome;
  }
}

interface WayOut {
  readonly trunkId: string;
  /** As the server at its end wants it. */
  readonly to: string;
  readonly sharedLine: SharedLine | null;
}

async function wayOut(
  { aggregates, closing, lines }: DialParts,
  { accountId, data }: PlacedCall,
): Promise<ProviderResult<WayOut>> {
  const { customer_phone: to, phone_number_id: id } = data;
  const own =
    id === null
      ? undefined
      : await throughOutages(AbortSignal.any([closing, AbortSignal.timeout(patienceMs)]), () =>
          aggregates.load(sipTrunkStream(id), sipTrunk),
        );
  if (own?.state && own.accountId === accountId) {
    const { outbound_trunk_id: trunkId, sip_calling_format, country_code } = own.state;
    const dialedNumber = inCallingFormat(to, sip_calling_format, country_code);
    return { kind: 'ok', value: { trunkId, to: dialedNumber, sharedLine: null } };
  }
  const sharedLine = data.channel === 'chatapp' ? 'chat' : 'carrier';
  const opened = await lines.open(sharedLine);
  return opened.kind === 'ok' ? { kind: 'ok', value: { trunkId: opened.value, to, sharedLine } } : opened;
}
