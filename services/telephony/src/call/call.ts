import { randomBytes } from 'node:crypto';
import type { CallArrived, CallEndedEvent, CallEvent, CallRequested, EventOf } from '@parley/contracts';
import type { Fold } from '@parley/event-store';

type Requested = EventOf<typeof CallRequested>['data'];
type Arrived = EventOf<typeof CallArrived>['data'];

/** What is the same of every call, however it began. */
type Parties = Omit<Arrived, 'direction' | 'arrived_at'>;

/** `requested`: to be dialed. `dialed`, `arrived`: the voice platform has it. `ended`: for ever. */
export interface LiveCall extends Parties {
  readonly phase: 'requested' | 'dialed' | 'arrived' | 'ended';
  readonly direction: Arrived['direction'];
  readonly lead_id: number | null;
  readonly campaign_id: number | null;
  readonly input_variables: Requested['input_variables'];
  readonly hold_id: string | null;
  readonly reserved_micros: number;
  readonly created_at: string;
  readonly end: CallEndedEvent['data'] | null;
  readonly recording_url: string | null;
}

/** Given up before it was placed: what was about to place it must not go on. */
interface DroppedCall {
  readonly phase: 'dropped';
}

export type Call = LiveCall | DroppedCall | null;

export const callCategory = 'call';
export const callStream = (id: number): string => `${callCategory}-${id}`;

/**
 * The name of a room for a call that we place. Another installation may use the same project of the voice platform, and
 * number its calls as we do: two calls in one room would hear each other.
 */
export const newRoomOf = (id: number): string => `parley-call-${id}-${randomBytes(6).toString('hex')}`;

/** The call of a room that is named as we name ours, or did before names had a random end; null for other rooms. */
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
      default:
        return state;
    }
  },
};

/** There is such a call, over or not. */
export const isLive = (state: Call): state is LiveCall => state !== null && state.phase !== 'dropped';

const beginning = { end: null, recording_url: null } as const;

const unplanned = {
  lead_id: null,
  campaign_id: null,
  input_variables: {},
  hold_id: null,
  reserved_micros: 0,
} as const;
