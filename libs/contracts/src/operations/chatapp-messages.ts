import { z } from 'zod';
import { explainedEvent } from '../history/explained-event.ts';
import {
  asOf,
  bodyId,
  pathId,
  queryPhone,
  recipientName,
  text,
  textUpTo,
  writtenUpTo,
} from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const messages = { service: 'messaging', tag: 'Chat-app messages', errorShape: 'chatapp' } as const;

/** Checked by the service, which has a code of its own for what is no phone number. */
const phone = text().describe("The recipient's number, in E.164.");
const senderId = 'The business number that it is sent from.';
const templateId = 'What is sent.';
const variableValue = z.union([textUpTo(1024, 0), z.number().transform(String)], {
  error: 'The :attribute field must be a string or a number.',
});

/** What a send is answered with; `status` is the delivery status at that moment. */
const sentMessage = z
  .object({
    success: z.literal(true),
    conversation_id: z.int().describe('The same conversation as `conversation_uuid`.'),
    conversation_uuid: z.uuid().describe('For `GET /api/user/conversations/{uuid}`.'),
    message_id: z.int().describe('Of the message in its conversation.'),
    chatapp_message_id: z.int().describe('Of what was handed to the platform.'),
    message_sid: z.string().describe('What the platform calls the message.'),
    status: z
      .string()
      .describe('How far it has come: `queued` or `sent`; the conversation has what follows.'),
  })
  .meta({ id: 'SentMessage' });

export const sendChatAppTemplate = defineOperation({
  ...messages,
  name: 'send-chatapp-template',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/send',
  summary: 'Send a template message',
  description:
    'The cost is deducted from the balance. A template that asks for call permission is none to send here: `POST /api/user/chatapp/voice/request` sends it. `variables` by position (`"1"`, `"2"`, …) or by the names of the template, whose `variables` are those of its body and then of its header and buttons: the `…_link` of a picture, video or document is an address of it (a document is called by its last part, as `INV-7.pdf`), the `button_…` of a code to copy is the code, of letters and digits, that of a form (a WhatsApp Flow) its `flow_token`: any text, by which the business knows the form again. A value with a line break, a tab or more than four spaces in a row, which WhatsApp does not take, is VARIABLES_MISSING. The button of an authentication template gets the code of the body. A template that wants more than texts (a carousel, products, a place) is TEMPLATE_NOT_APPROVED. SEND_FAILED with `details.outcome` "unknown": the platform may have taken the message; it is not sent again, and its status follows.',
  body: z.object({
    sender_id: bodyId().describe(senderId),
    template_id: bodyId().describe(templateId),
    recipient_phone: phone,
    recipient_name: recipientName(),
    variables: z
      .record(text(), variableValue)
      .nullish()
      .describe('What the template is filled with, by position (`"1"`) or by name.'),
  }),
  rateLimits: [{ name: 'per-second', max: 5, windowMs: 1_000 }],
  rejections: [
    'sender_not_found',
    'sender_offline',
    'template_not_found',
    'template_not_approved',
    'invalid_phone',
    'variables_missing',
    'messaging_limit_reached',
    'insufficient_balance',
    'send_failed',
  ],
  example: {
    sender_id: 1,
    template_id: 2,
    recipient_phone: '+442079460104',
    recipient_name: 'Alan',
    variables: { first_name: 'Alan', order_number: 'A-1001' },
  },
  success: { status: 200, schema: sentMessage },
});

export const explainSend = defineOperation({
  ...messages,
  name: 'explain-send',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/send/explain',
  summary: 'Every rule about sending a template message, its verdict, and the event behind it',
  description:
    'What the send with the same fields would be told now; nothing is sent, paid or counted. `variables` is the JSON object of the send as text. An unknown sender is the 404 of the send; everything else that stands against it is a failed rule. With `as_of` (a timestamp or a position): what it would have been told at that moment; how many requests were made then is not kept.',
  query: z.object({
    sender_id: pathId().describe(senderId),
    template_id: pathId().describe(templateId),
    recipient_phone: queryPhone().describe("The recipient's number, in E.164."),
    variables: textUpTo(65_536).optional().describe('The JSON object that the send would have, as text.'),
    as_of: asOf(),
  }),
  rejections: ['sender_not_found'],
  example: { sender_id: 1, template_id: 2, recipient_phone: '+442079460104' },
  success: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      sender_id: z.int(),
      template_id: z.int(),
      recipient_phone: z.string(),
      at: z.iso.datetime({ offset: true }),
      can_send: z.boolean(),
      rules: z
        .array(
          z.object({
            rule: z.string().describe('For programs; `explanation` is for people.'),
            verdict: z
              .enum(['passed', 'failed', 'not_judged'])
              .describe('`not_judged`: what the rule is about was not found, or is not kept.'),
            error_code: z
              .string()
              .nullable()
              .describe(
                'What the send answers when this rule fails; null for the rate limit, whose answer has no code.',
              ),
            explanation: z.string(),
            details: z
              .record(z.string(), z.unknown())
              .nullable()
              .describe('The numbers behind the verdict; null where there are none.'),
            event: explainedEvent
              .nullable()
              .describe('The event behind the verdict; null when nothing has happened.'),
            flips_at: z.iso
              .datetime({ offset: true })
              .nullable()
              .describe(
                'When the verdict becomes the opposite if nothing else happens; null when time does not change it.',
              ),
          }),
        )
        .describe('In the order in which they are checked: the first that failed is what the send answers.'),
    }),
  },
});

export const sendFreeform = defineOperation({
  ...messages,
  name: 'send-freeform',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/send-freeform',
  summary: 'Send a text message inside the 24-hour window',
  description:
    'A person has taken over: AI replies of the conversation are off from then on. `recipient_phone` may also be what a conversation shows of a customer who hides their number.',
  body: z.object({
    sender_id: bodyId().describe(senderId),
    recipient_phone: phone,
    message: writtenUpTo(4096).describe('The text.'),
  }),
  rejections: [
    'sender_not_found',
    'sender_offline',
    'invalid_phone',
    'session_expired',
    'messaging_limit_reached',
    'insufficient_balance',
    'send_failed',
  ],
  example: { sender_id: 1, recipient_phone: '+442079460104', message: 'We are here until six.' },
  success: { status: 200, schema: sentMessage },
});

export const getSessionStatus = defineOperation({
  ...messages,
  name: 'get-session-status',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/session-status',
  summary: 'Whether a contact may be written to without a template, and may be asked for call permission',
  description:
    'The session is open for 24 hours after the last message of the contact; the freeform window also for 24 hours after our template. With `as_of` (a timestamp or a position) as it was at that moment.',
  query: z.object({
    sender_id: pathId().describe('The business number.'),
    recipient_phone: queryPhone().describe("The contact's number, in E.164."),
    as_of: asOf(),
  }),
  rejections: ['sender_not_found', 'invalid_phone'],
  example: { sender_id: 1, recipient_phone: '+442079460104' },
  success: {
    status: 200,
    schema: z.object({
      success: z.literal(true),
      sender_id: z.int(),
      recipient_phone: z.string(),
      conversation_uuid: z.uuid().nullable().describe('Null while there is no conversation.'),
      session_open: z.boolean().describe('Whether the contact has written within 24 hours.'),
      session_expires_at: z.iso
        .datetime()
        .nullable()
        .describe('When that ends, or ended; null for who never wrote.'),
      freeform_open: z.boolean().describe('Whether a message without a template may be sent.'),
      freeform_expires_at: z.iso
        .datetime()
        .nullable()
        .describe('When that ends, or ended; null where it never was.'),
    }),
  },
});
