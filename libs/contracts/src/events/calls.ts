import { z } from 'zod';
import { defineEvent, type EventOf } from '../event.ts';

const status = z.enum(['completed', 'no_answer', 'busy', 'failed']);
const instant = z.iso.datetime({ offset: true });
const variables = z.record(z.string(), z.json());

/** Telephony's: a call on the phone network or in a chat app is over, however it went. */
export const CallEnded = defineEvent({
  service: 'telephony',
  category: 'call',
  version: 1,
  type: 'CallEnded',
  summary: 'A call was over, answered or not.',
  data: z.object({
    call_id: z.int(),
    direction: z.enum(['inbound', 'outbound']),
    /** Null when no assistant took part. */
    assistant_id: z.int().nullable(),
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
  }),
});

export type CallEvent = EventOf<typeof CallEnded>;
