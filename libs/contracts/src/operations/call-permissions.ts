import { z } from 'zod';
import { explainedEvent } from '../history/explained-event.ts';
import { asOf, bodyId, pathId, queryPhone, recipientName, text } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const voice = {
  service: 'messaging',
  tag: 'Call permission',
  errorShape: 'chatapp',
  notFoundMessage: 'Sender not found',
  notFoundErrorCode: 'SENDER_NOT_FOUND',
} as const;

const instant = z.iso.datetime({ offset: true });

/** Call permission (service-api, section 2; decisions, section 3). Times have the offset `+00:00`. */
const permissionFields = {
  success: z.literal(true),
  sender_id: z.int(),
  customer_phone: z.string(),
  conversation_id: z.uuid().nullable().describe('Null while sender and customer have no conversation.'),
  status: z.enum(['pending', 'granted', 'rejected', 'revoked', 'expired']).nullable(),
  can_call: z.boolean().describe('Whether the customer allows calls now.'),
  can_request: z.boolean().describe('Whether the customer may be asked now.'),
  session_open: z.boolean().describe('Whether the customer has written within 24 hours.'),
  expires_at: instant.nullable().describe('Of a temporary permission.'),
  requested_at: instant.nullable().describe('Null when the customer was never asked.'),
};

const limits = z.array(
  z.object({
    window: z.enum(['24h', '7d']).describe('Over which time asks count.'),
    max: z.int().describe('How many asks it allows.'),
    used: z.int().describe('How many asks count.'),
    resets_at: instant
      .nullable()
      .describe('When the oldest ask that counts leaves the window; null when none counts.'),
  }),
);

const senderId = bodyId().describe('The business number that asks or calls.');
const ofContact = {
  sender_id: pathId().describe('The business number that asks or calls.'),
  recipient_phone: queryPhone().describe("The customer's number, in E.164."),
};
/** Checked by the service, which has a code of its own for it. */
const recipientPhone = text().describe("The customer's number, in E.164.");
const past = { as_of: asOf() };

export const requestCallPermission = defineOperation({
  ...voice,
  name: 'request-call-permission',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/voice/request',
  summary: 'Ask a customer whether calls are welcome',
  description:
    'Sends the approved voice call request template of the sender, the newest one that takes text alone: one that wants more (a picture, a link, a carousel) is TEMPLATE_NOT_FOUND. The customer must have written within 24 hours. One ask in 24 hours and two in 7 days; a connected call frees them. `REQUEST_LIMIT` says in `details` why, and when to come back.',
  body: z.object({
    sender_id: senderId,
    recipient_phone: recipientPhone,
    recipient_name: recipientName(),
    template_id: bodyId().nullish().describe('The voice call request template; the newest one when absent.'),
  }),
  rejections: [
    'invalid_phone',
    'voice_disabled',
    'region_not_supported',
    'voice_template_not_found',
    'session_closed',
    'request_limit',
    'send_failed',
  ],
  example: { sender_id: 1, recipient_phone: '+442079460104', recipient_name: 'Alan' },
  success: {
    status: 200,
    schema: z.object(permissionFields),
  },
  rateLimits: [
    { name: 'minute', max: 5, windowMs: 60_000 },
    { name: 'hour', max: 20, windowMs: 3_600_000 },
    { name: 'day', max: 50, windowMs: 86_400_000 },
  ],
});

export const getCallPermission = defineOperation({
  ...voice,
  name: 'get-call-permission',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/voice/permission',
  summary: 'Whether a customer may be called, or asked',
  description: 'With `as_of` (a timestamp or a position) it is the answer of the moment given.',
  query: z.object({ ...ofContact, ...past }),
  rejections: ['invalid_phone'],
  example: { sender_id: 1, recipient_phone: '+442079460104' },
  success: {
    status: 200,
    schema: z.object({
      ...permissionFields,
      limits,
      can_request_at: instant
        .nullable()
        .describe(
          'When the limits allow the next ask; null when they do so now, or never will by time alone.',
        ),
    }),
  },
});

export const explainCallPermission = defineOperation({
  ...voice,
  name: 'explain-call-permission',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/voice/permission/explain',
  summary: 'Every rule about asking and calling a customer, its verdict, and the event behind it',
  description:
    'With `template_id`: for asking with that template. With `as_of` (a timestamp or a position): as they were at that moment, by the terms of today.',
  query: z.object({
    ...ofContact,
    template_id: pathId().optional().describe('The template that would ask.'),
    ...past,
  }),
  rejections: ['invalid_phone'],
  example: { sender_id: 1, recipient_phone: '+442079460104' },
  success: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      sender_id: z.int(),
      customer_phone: z.string(),
      at: instant,
      can_request: z.boolean(),
      can_call: z.boolean(),
      rules: z
        .array(
          z.object({
            rule: z.string().describe('For programs; `explanation` is for people.'),
            applies_to: z
              .array(z.enum(['request', 'call']))
              .describe('What it stands against when it fails.'),
            verdict: z.enum(['passed', 'failed']),
            error_code: z.string().describe('What the operation answers when this rule fails.'),
            reason: z.string().nullable().describe('The reason that `REQUEST_LIMIT` tells.'),
            explanation: z.string(),
            event: explainedEvent
              .nullable()
              .describe('The event behind the verdict; null when nothing has happened.'),
            flips_at: instant
              .nullable()
              .describe(
                'When the verdict becomes the opposite if nothing else happens; null when time does not change it.',
              ),
          }),
        )
        .describe('In the order in which they are checked.'),
    }),
  },
});

export const placeVoiceCall = defineOperation({
  ...voice,
  name: 'place-voice-call',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/voice/call',
  summary: 'Call a customer who allows calls',
  description:
    'The assistant of the sender speaks. What the longest call would cost is reserved until the call is over. The answer comes before the customer’s telephone rings.',
  body: z.object({ sender_id: senderId, recipient_phone: recipientPhone }),
  rejections: [
    'invalid_phone',
    'voice_disabled',
    'region_not_supported',
    'call_not_permitted',
    'insufficient_balance',
  ],
  example: { sender_id: 1, recipient_phone: '+442079460104' },
  success: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      sender_id: z.int(),
      customer_phone: z.string(),
      status: z.literal('queued'),
      reference: z.string().describe('What telephony calls the call.'),
    }),
  },
});
