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

export const ConversationContactMoved = defineEvent({
  ...conversation,
  type: 'ConversationContactMoved',
  summary:
    'The contact of a conversation has another number, as the chat platform tells. Whoever writes from the old one later may be somebody else; conversation, leads and the permission to call stay with it.',
  personal: { subject: 'contact_phone', fields: ['contact_phone'], mentions: ['moved_to'] },
  data: z.object({
    conversation_id: z.int(),
    uuid: z.string(),
    sender_id: z.int(),
    contact_phone: z.string().describe('The number before.'),
    moved_to: z.string().describe('E.164, or what the platform calls who hides the number.'),
    at: z.string().describe("By the chat platform's clock."),
  }),
});

const marketingPreference = {
  personal: { subject: 'contact_phone', fields: ['contact_phone'] },
  data: z.object({
    conversation_id: z.int(),
    uuid: z.string(),
    sender_id: z.int(),
    contact_phone: z.string().describe('E.164, or what the platform calls who hides the number.'),
    at: z.string().describe("By the chat platform's clock."),
  }),
} as const;

export const ConversationMarketingStopped = defineEvent({
  ...conversation,
  ...marketingPreference,
  type: 'ConversationMarketingStopped',
  summary:
    'The contact of a conversation wants no marketing messages of its sender any more, as the chat platform tells. It refuses templates of that category to them; others and texts arrive.',
});

export const ConversationMarketingResumed = defineEvent({
  ...conversation,
  ...marketingPreference,
  type: 'ConversationMarketingResumed',
  summary:
    'The contact of a conversation wants marketing messages of its sender again, as the chat platform tells.',
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
  | typeof ConversationContactMoved
  | typeof ConversationMarketingStopped
  | typeof ConversationMarketingResumed
  | typeof ConversationAiEnabled
  | typeof ConversationAiDisabled
>;
