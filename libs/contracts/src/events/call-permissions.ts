import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';

const permission = { service: 'messaging', category: 'permission', version: 1 } as const;

const instant = z.iso.datetime();

/** Whose permission it is. */
const between = {
  sender_id: z.int(),
  customer_phone: z.string().describe('E.164'),
};

/** An answer of the customer; `reply_id` is the chat platform's id of it. */
const reply = {
  ...between,
  reply_id: z.string(),
  at: instant.describe("When the customer answered, by the chat platform's clock."),
};

export const CallPermissionAskStarted = defineEvent({
  ...permission,
  type: 'CallPermissionAskStarted',
  summary:
    'A customer is about to be asked whether calls are welcome; this question is never handed over again.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({
    ...between,
    ask_id: z.uuid(),
    conversation_id: z.uuid().nullable(),
    template_id: z.int(),
    command_id: z.string().describe('The request that is answered when the outcome is known.'),
    command_fingerprint: z
      .string()
      .nullable()
      .describe("Null when the caller did not choose the command's id."),
    at: instant.describe('Counts against the limits from here on.'),
  }),
});

export const CallPermissionRequested = defineEvent({
  ...permission,
  type: 'CallPermissionRequested',
  summary: 'The chat platform took the question whether calls are welcome.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({
    ...between,
    ask_id: z.uuid(),
    message_sid: z
      .string()
      .nullable()
      .describe("The chat platform's id; null when only a later status told that the question went out."),
  }),
});

export const CallPermissionAskDelivered = defineEvent({
  ...permission,
  type: 'CallPermissionAskDelivered',
  summary:
    'The question reached the customer, whatever is told of it otherwise; it counts against the limits.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({
    ...between,
    ask_id: z.uuid(),
    at: instant.describe("When it did, by the chat platform's clock."),
  }),
});

export const CallPermissionAskFailed = defineEvent({
  ...permission,
  type: 'CallPermissionAskFailed',
  summary: 'The customer was not asked, as far as is known; it counts against no limit.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'], mentions: ['reason'] },
  data: z.object({ ...between, ask_id: z.uuid(), code: z.string().nullable(), reason: z.string() }),
});

export const CallPermissionAskUncertain = defineEvent({
  ...permission,
  type: 'CallPermissionAskUncertain',
  summary: 'The customer may have been asked; it counts against the limits and is not asked again.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'], mentions: ['reason'] },
  data: z.object({ ...between, ask_id: z.uuid(), reason: z.string() }),
});

export const CallPermissionGranted = defineEvent({
  ...permission,
  type: 'CallPermissionGranted',
  version: 2,
  summary: 'The customer allowed calls, for good or until a moment.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({
    ...reply,
    validity: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('permanent') }),
      z.object({ kind: z.literal('temporary'), expires_at: instant }),
    ]),
  }),
  earlier: [
    // Two fields that could contradict each other.
    earlierVersion(
      z.object({ ...reply, is_permanent: z.boolean(), expires_at: instant.nullable() }),
      ({ is_permanent: isPermanent, expires_at, ...data }) => ({
        ...data,
        validity:
          isPermanent || expires_at === null ? { kind: 'permanent' } : { kind: 'temporary', expires_at },
      }),
    ),
  ],
});

export const CallPermissionRejected = defineEvent({
  ...permission,
  type: 'CallPermissionRejected',
  summary: 'The customer declined calls.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object(reply),
});

export const CallPermissionRevoked = defineEvent({
  ...permission,
  type: 'CallPermissionRevoked',
  summary: 'The customer took the permission to call back.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object(reply),
});

export const CallPermissionReplyOutdated = defineEvent({
  ...permission,
  type: 'CallPermissionReplyOutdated',
  summary: 'An answer of the customer became known after a later one, which holds.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({ ...reply, response: z.enum(['accept', 'reject', 'revoke']) }),
});

export const ContactWrote = defineEvent({
  ...permission,
  type: 'ContactWrote',
  summary: 'The customer wrote: the session is open for 24 hours.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({ ...between, message_sid: z.string(), at: instant }),
});

export const ContactVoiceCallEnded = defineEvent({
  ...permission,
  type: 'ContactVoiceCallEnded',
  summary: 'A call between sender and customer was over; a connected one frees the asks before it.',
  personal: { subject: 'customer_phone', fields: ['customer_phone'] },
  data: z.object({
    ...between,
    call_id: z.int(),
    direction: z.enum(['inbound', 'outbound']),
    status: z.enum(['completed', 'no_answer', 'busy', 'failed']),
    at: instant,
  }),
});

export type CallPermissionEvent = EventOf<
  | typeof CallPermissionAskStarted
  | typeof CallPermissionRequested
  | typeof CallPermissionAskDelivered
  | typeof CallPermissionAskFailed
  | typeof CallPermissionAskUncertain
  | typeof CallPermissionGranted
  | typeof CallPermissionRejected
  | typeof CallPermissionRevoked
  | typeof CallPermissionReplyOutdated
  | typeof ContactWrote
  | typeof ContactVoiceCallEnded
>;
