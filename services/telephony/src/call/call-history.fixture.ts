import type { CallEvent } from '@parley/contracts';
import type { Decision } from '@parley/event-store';
import type { CallReport } from '@parley/providers/livekit';
import { type Call, call } from './call.ts';
import { arrive, type CallArrivedData, type CallRequestedData, recorded, requestCall } from './decisions.ts';
import type { CallingAssistant } from './other-services.ts';

const parties = {
  call_id: 7,
  channel: 'phone',
  assistant_id: 3,
  customer_phone: '+491701234567',
  assistant_phone: '+4930901820',
  phone_number_id: 5,
  sender_id: null,
  room: 'parley-call-7',
  max_duration_s: 600,
  price_per_minute_micros: 100_000,
} as const;
export const request: CallRequestedData = {
  ...parties,
  lead_id: 1,
  campaign_id: 2,
  input_variables: { name: 'Ada' },
  hold_id: '0197a6d0-0000-7000-8000-000000000081',
  reserved_micros: 1_000_000,
  requested_at: '2026-11-21T09:30:00.000Z',
};
export const arrival: CallArrivedData = {
  ...parties,
  direction: 'inbound',
  arrived_at: '2026-11-21T09:30:00.000Z',
};
export const report: CallReport = {
  direction: 'outbound',
  from: parties.assistant_phone,
  to: parties.customer_phone,
  outcome: 'completed',
  duration_s: 61.4,
  ended_at: '2026-11-21T09:32:00.000Z',
  transcript: 'assistant: Hello!\n\ncustomer:  Hi. ',
  recording_url: null,
  recording_follows: false,
  extracted_variables: { city: 'Rome' },
};
export const now = new Date('2026-11-21T09:45:00.000Z');

/** A call's history, as log and timers would have it. */
class History {
  readonly events: CallEvent[] = [];
  state: Call = null;
  pendingRecording: string | null = null;

  take(decide: (state: Call) => Decision<CallEvent> | { readonly code: string }): this {
    const decision = decide(this.state);
    if (!('events' in decision)) return this;
    for (const event of decision.events) {
      this.events.push(event);
      this.state = call.evolve(this.state, event);
    }
    for (const { kind, payload } of decision.timers ?? [])
      if (kind === 'call-recording') this.pendingRecording = String(payload.recording_url);
    return this;
  }

  /** Fires the timer of a recording that was told before its call was over. */
  settle(): this {
    const url = this.pendingRecording;
    return url === null ? this : this.take((state) => recorded(state, url));
  }

  get types() {
    return this.events.map(({ type }) => type);
  }
}

export const outbound = () => new History().take((state) => requestCall(state, request, '{}'));
export const inbound = () => new History().take((state) => arrive(state, arrival));

/** The assistant of `request`, as the assistants service tells it. */
export const caller: CallingAssistant = {
  type: 'outbound',
  max_duration: 600,
  phone_number_id: 5,
  variables: {},
};
