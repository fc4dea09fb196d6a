import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const status = z.enum(['completed', 'no_answer', 'busy', 'failed']);
const instant = z.iso.datetime({ offset: true });
const variables = z.record(z.string(), z.json());

const ended = {
  call_id: z.int(),
  direction: z.enum(['inbound', 'outbound']),
  assistant_id: z.int().nullable().describe('Null when no assistant took part.'),
  customer_phone: z.string(),
  assistant_phone: z.string().nullable(),
  status,
  duration_s: z.int().nonnegative(),
  transcript: z.array(z.object({ role: z.string(), text: z.string() })),
  recording_url: z.string().nullable(),
  extracted_variables: variables,
  input_variables: variables,
  lead_id: z.int().nullable(),
  campaign_id: z.int().nullable(),
  created_at: instant,
  finished_at: instant,
};

/** Telephony's: a call on the phone network or in a chat app is over, however it went. */
export const CallEnded = defineEvent({
  service: 'telephony',
  category: 'call',
  version: 2,
  type: 'CallEnded',
  summary: 'A call was over, answered or not.',
  personal: {
    subject: 'customer_phone',
    fields: ['customer_phone', 'transcript', 'recording_url', 'extracted_variables', 'input_variables'],
  },
  data: z.object({
    ...ended,
    recording_follows: z
      .boolean()
      .describe('The recording is not finished: its URL comes with CallRecordingAdded.'),
  }),
  earlier: [earlierVersion(z.object(ended), (data) => ({ ...data, recording_follows: false }))],
});

const call = { service: 'telephony', category: 'call', version: 1 } as const;
const micros = z.int().nonnegative();

const parties = {
  call_id: z.int(),
  channel: z
    .enum(['phone', 'chatapp'])
    .describe('`chatapp` is a call between a sender of the chat app and a customer there.'),
  assistant_id: z.int().nullable().describe('Null when no assistant takes part.'),
  customer_phone: z.string(),
  assistant_phone: z.string(),
  phone_number_id: z.int().nullable(),
  sender_id: z.int().nullable(),
  room: z.string().describe('Where it takes place on the voice platform.'),
  max_duration_s: z.int(),
  price_per_minute_micros: micros.describe('For each begun minute.'),
};

export const CallRequested = defineEvent({
  ...call,
  type: 'CallRequested',
  summary: 'A call was to be placed; what it may cost at most was reserved.',
  personal: { subject: 'customer_phone', fields: ['customer_phone', 'input_variables'], mentions: ['room'] },
  data: z.object({
    ...parties,
    lead_id: z.int().nullable(),
    campaign_id: z.int().nullable(),
    input_variables: variables,
    hold_id: z.string().nullable().describe('Null when calls cost nothing.'),
    reserved_micros: micros,
    requested_at: instant,
  }),
});

export const CallArrived = defineEvent({
  ...call,
  type: 'CallArrived',
  summary: 'A call came in, or was placed by others on the voice platform.',
  // The voice platform names rooms after the caller, in whichever form the carrier tells the number.
  personal: { subject: 'customer_phone', fields: ['customer_phone', 'room'] },
  data: z.object({ ...parties, direction: z.enum(['inbound', 'outbound']), arrived_at: instant }),
});

export const CallDialed = defineEvent({
  ...call,
  type: 'CallDialed',
  summary: 'The voice platform dialed the number.',
  data: z.object({ call_id: z.int() }),
});

const notPlaced = { call_id: z.int(), reason: z.string() };

export const CallNotPlaced = defineEvent({
  ...call,
  type: 'CallNotPlaced',
  version: 2,
  summary: 'The call could not be placed.',
  personal: { mentions: ['reason'] },
  data: z.object({
    ...notPlaced,
    lead_id: z.int().nullable(),
    /** Nothing stands against the call: the voice platform was away. Null where nobody noted it. */
    may_pass_later: z.boolean().nullable(),
  }),
  earlier: [
    earlierVersion(z.object(notPlaced), (data) => ({ ...data, lead_id: null, may_pass_later: null })),
  ],
});

export const CallDeadlinePassed = defineEvent({
  ...call,
  type: 'CallDeadlinePassed',
  summary: 'No report of a call came in time; it was closed with what the voice platform had told of it.',
  data: z.object({ call_id: z.int() }),
});

export const CallDropped = defineEvent({
  ...call,
  type: 'CallDropped',
  summary: 'A call was given up before it was placed; its reservation is free again.',
  data: z.object({ call_id: z.int() }),
});

export const CallRecordingAdded = defineEvent({
  ...call,
  type: 'CallRecordingAdded',
  summary: 'The recording of a call was finished after the call.',
  personal: { fields: ['recording_url'] },
  data: z.object({ call_id: z.int(), recording_url: z.string() }),
});

export const CallCharged = defineEvent({
  ...call,
  type: 'CallCharged',
  summary: 'The minutes of a call were paid from the balance.',
  data: z.object({ call_id: z.int(), amount_micros: micros, minutes: z.int().nonnegative() }),
});

export const CallNotCharged = defineEvent({
  ...call,
  type: 'CallNotCharged',
  summary: 'A call could not be paid: the balance was too low when it ended.',
  data: z.object({ call_id: z.int(), amount_micros: micros }),
});

export type CallEvent = EventOf<
  | typeof CallRequested
  | typeof CallArrived
  | typeof CallDialed
  | typeof CallNotPlaced
  | typeof CallDeadlinePassed
  | typeof CallDropped
  | typeof CallRecordingAdded
  | typeof CallCharged
  | typeof CallNotCharged
  | typeof CallEnded
>;
export type CallEndedEvent = EventOf<typeof CallEnded>;
export type CallNotPlacedEvent = EventOf<typeof CallNotPlaced>;
