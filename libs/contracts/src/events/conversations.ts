import { z } from 'zod';
import { defineEvent, type EventOf } from '../history/event.ts';

const conversation = { service: 'messaging', category: 'conversation', version: 1 } as const;

export const ConversationStarted = defineEvent({
  ...conversation,
  type: 'ConversationStarted',
  summary: 'The first message between a sender and a contact began a conversation; AI replies are on.',
  personal: { subject: 'contact_phone', fields: ['contact_phone', 'contact_name'] },
  data: z.object({
    conversation_id: z.int(),
    uuid: z.string(),
    sender_id: z.int(),
    contact_phone: z.string().describe('E.164'),
    contact_name: z.string().nullable(),
  }),
});

export const ConversationContactNamed = defineEvent({
  ...conversation,
  type: 'ConversationContactNamed',
  summary: 'The contact of a conversation has another name.',
  personal: { fields: ['contact_name'] },
  data: z.object({ conversation_id: z.int(), contact_name: z.string() }),
});

export const ConversationAiEnabled = defineEvent({
  ...conversation,
  type: 'ConversationAiEnabled',
  summary: 'The assistant answers new messages again.',
  data: z.object({ conversation_id: z.int() }),
});

export const ConversationAiDisabled = defineEvent({
  ...conversation,
  type: 'ConversationAiDisabled',
  summary: 'The assistant no longer answers: it was switched off, or a person took over.',
  data: z.object({ conversation_id: z.int(), reason: z.enum(['request', 'takeover']) }),
});

export type ConversationEvent = EventOf<
  | typeof ConversationStarted
  | typeof ConversationContactNamed
  | typeof ConversationAiEnabled
  | typeof ConversationAiDisabled
>;
