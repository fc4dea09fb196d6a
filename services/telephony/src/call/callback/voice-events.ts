import { createHash } from 'node:crypto';
import { type CallEvent, type Micros, type Rejection, reject } from '@parley/contracts';
import type {
  ClaimTaken,
  Clock,
  Decision,
  EventMetadata,
  EventStore,
  IdAllocator,
  SqlExecutor,
} from '@parley/event-store';
import { isUnanswered, type MessageContext } from '@parley/message-bus';
import { fromCallingFormat } from '@parley/phone-numbers';
import type { VoicePlatform } from '@parley/providers';
import type { Caller, VoiceEvent } from '@parley/providers/livekit';
import type { AccountBalance } from '@parley/service-kit';
import { findCallByRoom, unpaidMinutes } from '../../views/call-queries.ts';
import { briefOf } from '../brief.ts';
import { type Call, call, callOfRoom, callStream, isLive, type LiveCall } from '../call.ts';
import type { CallLog } from '../call-log.ts';
import {
  arrive,
  type CallArrivedData,
  dialed,
  left,
  nothing,
  recorded,
  reported,
  turnAway,
  unreported,
} from '../decisions.ts';
import type { CallLookups } from '../other-services.ts';
import { findOurSide, type OurSide } from './our-number.ts';

export interface VoiceEventParts {
  readonly balance: Pick<AccountBalance, 'isThere'>;
  readonly clock: Clock;
  readonly ids: IdAllocator;
  readonly log: CallLog;
  readonly lookups: CallLookups;
  readonly minutePriceMicros: Micros;
  readonly platform: VoicePlatform;
  readonly sql: SqlExecutor;
  readonly store: EventStore;
}

/** A call that others began, by the event that tells of it first. */
interface Beginning {
  /** Counts where the trunk does not tell the direction. */
  readonly direction: CallArrivedData['direction'];
  readonly customerPhone: string;
  readonly ourPhone: string;
  readonly trunkId: string | null;
  /** ISO 8601 */
  readonly at: string;
}

/** Milliseconds from when a call was first heard of in which whoever joins it begins it. */
const beginningMs = 60_000;

/** Names of rooms that the platform opens for inbound calls. */
const inboundRoom = /^call-/;

/** Applies the voice platform's events to calls: each changes a call once, however often it comes and in any order. */
export class VoiceEvents {
  readonly #parts: VoiceEventParts;

  constructor(parts: VoiceEventParts) {
    this.#parts = parts;
  }

  /** Applies an event. A rejection makes the platform send it again. */
  async take(event: VoiceEvent, message: MessageContext): Promise<Rejection | null> {
    const id = callOfRoom(event.room) ?? (await findCallByRoom(this.#parts.sql, event.room));
    return id === null ? this.#begin(event, message) : this.#goOn(id, event);
  }

  /** Changes a known call, with the correlation id and chain depth of what began it. */
  async #goOn(id: number, event: VoiceEvent): Promise<Rejection | null> {
    const { log, store } = this.#parts;
    const [first] = await store.readStream(callStream(id), { toVersion: 1 });
    if (!first || first.accountId === null) return null;
    const { correlationId, chainDepth } = first.metadata;
    const metadata: EventMetadata = { ...metadataOf(correlationId, first.eventId), chainDepth };
    await log.change(id, first.accountId, metadata, (state) => decide(state, event));
    return event.type === 'joined' ? this.#receive(id, event, metadata, first.recordedAt) : null;
  }

  /**
   * Somebody joined. For a call that others began, the agent gets its brief. A call that was dialed after it was given
   * up is hung up: nobody pays for it, and the person may be called anew by now. So is one that came in and that the
   * account could not pay a minute of. `heardOfAt`: when a call was first heard of that is on record already, ISO 8601.
   */
  async #receive(
    id: number,
    caller: Caller,
    metadata: EventMetadata,
    heardOfAt: string | null,
  ): Promise<Rejection | null> {
    const { clock, log, platform } = this.#parts;
    const { state, accountId } = await log.load(id);
    if (!isIn(state, caller.room) || !['arrived', 'ended'].includes(state.phase)) return null;
    const isUnpaid =
      accountId !== null &&
      !(await this.#isPaidFor(state, accountId, metadata)) &&
      (await this.#isBeginning(heardOfAt));
    if (isUnpaid) {
      const now = await clock.now();
      await log.change(id, accountId, metadata, (latest) => turnAway(latest, now));
    }
    const { kind } =
      isUnpaid || state.phase === 'ended'
        ? await platform.hangUp(caller.room)
        : await platform.introduce(caller, briefOf(state));
    return kind === 'unavailable' || kind === 'unknown' ? tellAgain() : null;
  }

  /**
   * Whether there is money for the first minute of a call that came in, beside what those under way have come to: they are
   * paid when they are over. True where accounts does not answer: callers do not pay for our outages.
   */
  async #isPaidFor(state: LiveCall, accountId: number, metadata: EventMetadata): Promise<boolean> {
    const { phase, direction, assistant_id, call_id: before, price_per_minute_micros: price } = state;
    if (phase !== 'arrived' || direction !== 'inbound' || assistant_id === null || price === 0) return true;
    const { balance, sql } = this.#parts;
    const minutes = 1 + (await unpaidMinutes(sql, { accountId, before }));
    try {
      return await balance.isThere(accountId, minutes * price, metadata.correlationId);
    } catch (error) {
      if (isUnanswered(error)) return true;
      throw error;
    }
  }

  /** Whoever comes back, or comes to a conversation that goes on, does not end it. */
  async #isBeginning(heardOfAt: string | null): Promise<boolean> {
    if (heardOfAt === null) return true;
    return (await this.#parts.clock.now()).getTime() - Date.parse(heardOfAt) < beginningMs;
  }

  async #begin(event: VoiceEvent, message: MessageContext): Promise<Rejection | null> {
    const { ids, log, lookups, sql } = this.#parts;
    const { correlationId } = message;
    const beginning = beginningOf(event);
    if (!beginning) return event.type === 'recorded' && inboundRoom.test(event.room) ? tellAgain() : null;
    const { ourPhone: phone, trunkId, direction, at: calledAt } = beginning;
    const side = await findOurSide(sql, lookups, { phone, calledAt, trunkId, direction, correlationId });
    if (side === null) return null;
    // The event of a participant's joining tells the trunk, and comes as well.
    if (side === 'ambiguous') return tellAgain();
    const id = await ids.next();
    const data = this.#arrivedData(id, event, beginning, side);
    const metadata = metadataOf(correlationId, correlationId);
    const result = await log.change(id, side.accountId, metadata, () => ({
      ...begun(data, event),
      claims: [{ op: 'take', scope: 'call-room', key: roomKey(event.room), owner: callStream(id) }],
      onClaimTaken: ({ owner }: ClaimTaken) => reject('contended', { details: { owner } }),
    }));
    if (result.kind === 'done')
      return event.type === 'joined' ? this.#receive(id, event, metadata, null) : null;
    // Another copy got an event of this call at the same time.
    const owner = String(result.rejection.details?.owner ?? '');
    return this.#goOn(Number(owner.slice(owner.lastIndexOf('-') + 1)), event);
  }

  #arrivedData(
    id: number,
    event: VoiceEvent,
    { customerPhone, ourPhone, at }: Beginning,
    { accountId: _, country, ...side }: OurSide,
  ): CallArrivedData {
    return {
      ...side,
      call_id: id,
      // Carriers write numbers in different forms; what cannot be read as a number stays as it is.
      customer_phone: fromCallingFormat(customerPhone, country) ?? customerPhone,
      assistant_phone: ourPhone,
      room: event.room,
      price_per_minute_micros: this.#parts.minutePriceMicros,
      arrived_at: at,
    };
  }
}

/** Hash of the room's name, as that holds the caller's number, which a claim must not keep. */
const roomKey = (room: string): string => createHash('sha256').update(room).digest('hex');

const tellAgain = (): Rejection => reject('unavailable', { retryAfterSeconds: 5 });

/** Whether the event's room is that of the call: other installations may name their rooms after the same ids. */
const isIn = (state: Call, room: string): state is LiveCall => isLive(state) && state.room === room;

function decide(state: Call, event: VoiceEvent): Decision<CallEvent> {
  if (!isIn(state, event.room)) return nothing;
  switch (event.type) {
    case 'joined':
      return dialed(state);
    case 'left':
      return left(state, event.outcome);
    case 'finished':
      return event.report ? reported(state, event.report) : unreported(state);
    case 'recorded':
      return recorded(state, event.recordingUrl);
    default:
      return event satisfies never;
  }
}

/** The first events of a call that others began: all of its events when the first thing told is its end. */
function begun(data: CallArrivedData, event: VoiceEvent): Decision<CallEvent> {
  const arrival = arrive(null, data);
  if (event.type !== 'finished') return arrival;
  const { events } = decide(arrival.events.reduce(call.evolve, null), event);
  return { events: [...arrival.events, ...events], reply: '{}' };
}

/** How a call began, by an event that tells the direction (`joined`, or `finished` with a report); null for others. */
function beginningOf(event: VoiceEvent): Beginning | null {
  if (event.type === 'joined') {
    const { direction, customerPhone, ourPhone, trunkId, openedAt: at } = event;
    return { direction, customerPhone, ourPhone, trunkId, at };
  }
  if (event.type !== 'finished' || !event.report) return null;
  const { direction, from, to } = event.report;
  const { openedAt: at } = event;
  return direction === 'inbound'
    ? { direction, customerPhone: from, ourPhone: to, trunkId: null, at }
    : { direction, customerPhone: to, ourPhone: from, trunkId: null, at };
}

const metadataOf = (correlationId: string, causationId: string): EventMetadata => ({
  correlationId,
  causationId,
  commandId: null,
  actor: { kind: 'provider', id: 'livekit' },
});
