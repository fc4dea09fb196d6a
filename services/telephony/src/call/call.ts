import { randomBytes } from 'node:crypto';
import type { CallArrived, CallEndedEvent, CallEvent, CallRequested, EventOf } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

type Requested = EventOf<typeof CallRequested>['data'];
type Arrived = EventOf<typeof CallArrived>['data'];

/** The fields that all calls have, however they began. */
type Parties = Omit<Arrived, 'direction' | 'arrived_at'>;

/** A call. `requested`: to be dialed. `dialed`, `arrived`: in progress on the voice platform. `ended`: for good. */
export interface LiveCall extends Parties {
  readonly phase: 'requested' | 'dialed' | 'arrived' | 'ended';
  readonly direction: Arrived['direction'];
  readonly lead_id: number | null;
  readonly campaign_id: number | null;
  readonly input_variables: Requested['input_variables'];
  /** Hold of its price; null when nothing was reserved: it is free, came in, or others placed it. */
  readonly hold_id: string | null;
  readonly reserved_micros: number;
  /** ISO 8601: when it was requested or arrived. */
  readonly created_at: string;
  readonly end: CallEndedEvent['data'] | null;
  readonly recording_url: string | null;
  /** Whether it is on record what it cost, or that nobody could pay it. */
  readonly isSettled: boolean;
}

/** Given up before it was placed: a process that still prepares it must not dial. */
interface DroppedCall {
  readonly phase: 'dropped';
}

/** A call's state; null while nothing of it is on record. */
export type Call = LiveCall | DroppedCall | null;

export const callCategory = 'call';
export const callStream = (id: number): string => `${callCategory}-${id}`;

/**
 * A new room name for a call that we place. The random end keeps apart the calls of installations that share a project
 * of the voice platform, whose ids are the same: two calls in one room would hear each other.
 */
export const newRoomOf = (id: number): string => `parley-call-${id}-${randomBytes(6).toString('hex')}`;

/** Id of the call that a room is named after, with or without the random end; null for rooms named otherwise. */
export function callOfRoom(room: string): number | null {
  const [, id] = /^parley-call-([1-9]\d{0,15})(?:-[0-9a-f]{12})?$/.exec(room) ?? [];
  return id === undefined ? null : Number(id);
}

export const call: Fold<Call, CallEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'CallRequested': {
        const { requested_at: created_at, ...data } = event.data;
        return { ...data, ...beginning, phase: 'requested', direction: 'outbound', created_at };
      }
      case 'CallArrived': {
        const { arrived_at: created_at, ...data } = event.data;
        return { ...data, ...unplanned, ...beginning, phase: 'arrived', created_at };
      }
      case 'CallDropped':
        return { phase: 'dropped' };
      case 'CallDialed':
        return state?.phase === 'requested' ? { ...state, phase: 'dialed' } : state;
      case 'CallEnded': {
        const { direction, recording_url } = event.data;
        return isLive(state)
          ? { ...state, phase: 'ended', direction, end: event.data, recording_url }
          : state;
      }
      case 'CallRecordingAdded':
        return isLive(state) ? { ...state, recording_url: event.data.recording_url } : state;
      case 'CallCharged':
      case 'CallNotCharged':
        return isLive(state) ? { ...state, isSettled: true } : state;
      default:
        return state;
    }
  },
};

/** Whether the call was placed or came in, over or not. */
export const isLive = (state: Call): state is LiveCall => state !== null && state.phase !== 'dropped';

const beginning = { end: null, recording_url: null, isSettled: false } as const;

const unplanned = {
  lead_id: null,
  campaign_id: null,
  input_variables: {},
  hold_id: null,
  reserved_micros: 0,
} as const;
