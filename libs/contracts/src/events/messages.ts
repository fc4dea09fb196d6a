import { z } from 'zod';
import { defineEvent, type EventOf, earlierVersion } from '../history/event.ts';
import { messageReferences, noReferences } from '../message-references.ts';

const message = { service: 'messaging', category: 'message', version: 1 } as const;

/** Where a message belongs; the same in both directions. */
const belonging = {
  message_id: z.int(),
  conversation_id: z.int(),
  conversation_uuid: z.string(),
  sender_id: z.int(),
  contact_phone: z.string().describe('E.164'),
};

const sendStarted = {
  ...belonging,
  chatapp_message_id: z.int(),
  author: z.enum(['person', 'assistant']),
  kind: z.enum(['template', 'freeform']),
  template_id: z.int().nullable(),
  body: z.string(),
  price_micros: z.int(),
  hold_id: z.string().nullable().describe('The reservation that pays for it; null for what costs nothing.'),
  command_id: z.string().nullable().describe('The request that is answered when the outcome is known.'),
  command_fingerprint: z.string().nullable(),
  in_reply_to: z.int().nullable().describe('The message that an assistant answers.'),
};

export const MessageSendStarted = defineEvent({
  ...message,
  version: 2,
  type: 'MessageSendStarted',
  summary:
    'A message is about to be handed to the chat platform; from here on it is never handed over again.',
  personal: { subject: 'contact_phone', fields: ['contact_phone', 'body'] },
  data: z.object({
    ...sendStarted,
    reference: z.string().describe('Our own word for it, which the chat platform says back in each status.'),
  }),
  earlier: [
    earlierVersion(z.object(sendStarted), (data) => ({ ...data, reference: `message-${data.message_id}` })),
  ],
});

export const MessageDropped = defineEvent({
  ...message,
  type: 'MessageDropped',
  summary: 'A message was given up before anything was handed to the chat platform.',
  data: z.object({ message_id: z.int() }),
});

export const MessageSent = defineEvent({
  ...message,
  type: 'MessageSent',
  summary: 'The chat platform took the message.',
  data: z.object({ message_id: z.int(), message_sid: z.string() }),
});

export const MessageFailed = defineEvent({
  ...message,
  type: 'MessageFailed',
  summary: 'The chat platform refused the message: it was certainly not sent.',
  personal: { mentions: ['reason'] },
  data: z.object({ message_id: z.int(), code: z.string().nullable(), reason: z.string() }),
});

export const MessageOutcomeUnknown = defineEvent({
  ...message,
  type: 'MessageOutcomeUnknown',
  summary: 'The chat platform may have taken the message; its callbacks will tell, and it is not sent again.',
  personal: { mentions: ['reason'] },
  data: z.object({ message_id: z.int(), reason: z.string() }),
});

export const MessageDelivered = defineEvent({
  ...message,
  type: 'MessageDelivered',
  summary: 'The message reached the recipient.',
  data: z.object({ message_id: z.int(), at: z.string() }),
});

export const MessageRead = defineEvent({
  ...message,
  type: 'MessageRead',
  summary: 'The recipient read the message.',
  data: z.object({ message_id: z.int(), at: z.string() }),
});

const undeliverable = {
  message_id: z.int(),
  at: z.string(),
  code: z.string().nullable(),
  reason: z.string(),
};

export const MessageUndeliverable = defineEvent({
  ...message,
  type: 'MessageUndeliverable',
  version: 2,
  summary: 'The chat platform took the message and could not deliver it.',
  personal: { mentions: ['reason'] },
  data: z.object({
    ...undeliverable,
    cause_id: z
      .string()
      .nullable()
      .describe('What had it sent, an event or a request; null where nobody noted it.'),
  }),
  earlier: [earlierVersion(z.object(undeliverable), (data) => ({ ...data, cause_id: null }))],
});

const received = {
  ...belonging,
  message_sid: z.string().describe("The chat platform's id."),
  contact_name: z.string().nullable(),
  kind: z.string().describe('`text`, or what else it is: pictures, reactions, …'),
  text: z.string().nullable(),
  sent_at: z.string().describe("When the contact wrote, by the chat platform's clock."),
};

export const MessageReceived = defineEvent({
  ...message,
  type: 'MessageReceived',
  version: 2,
  summary: 'A contact wrote to a sender.',
  personal: {
    subject: 'contact_phone',
    fields: ['contact_phone', 'contact_name', 'text', 'payload', 'referral'],
  },
  data: z.object({ ...received, ...messageReferences }),
  earlier: [earlierVersion(z.object(received), (data) => ({ ...data, ...noReferences }))],
});

export const MessageNotAnswered = defineEvent({
  ...message,
  type: 'MessageNotAnswered',
  summary: 'What a contact wrote is not answered by the assistant, although AI replies are on.',
  data: z.object({
    message_id: z.int(),
    conversation_id: z.int(),
    reason: z
      .enum([
        'insufficient_balance',
        'model_refused',
        'send_failed',
        'given_up',
        'too_many_replies',
        'no_text',
        'window_closed',
      ])
      .describe(
        '`given_up`: for five minutes there was no reply, as while the language model is away. `no_text`: it has no words, as a voice message, a sticker, or a picture with nothing written beneath. `too_many_replies`: the conversation has had so many that a machine must be answering them. `window_closed`: the chat platform told of it only when the 24 hours had passed in which text may be sent.',
      ),
  }),
});

export type OutgoingMessageEvent = EventOf<
  | typeof MessageSendStarted
  | typeof MessageDropped
  | typeof MessageSent
  | typeof MessageFailed
  | typeof MessageOutcomeUnknown
  | typeof MessageDelivered
  | typeof MessageRead
  | typeof MessageUndeliverable
>;
export type MessageEvent = OutgoingMessageEvent | EventOf<typeof MessageReceived | typeof MessageNotAnswered>;
export type MessageUndeliverableEvent = EventOf<typeof MessageUndeliverable>;
