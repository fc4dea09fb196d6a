import { z } from 'zod';
import { asOf, nextCursor, perPage, text } from '../input/text.ts';
import { messageReferences } from '../message-references.ts';
import { defineOperation } from '../operation.ts';

const conversations = {
  service: 'messaging',
  tag: 'Conversations',
  errorShape: 'conversation',
} as const;
const oneConversation = { ...conversations, notFoundMessage: 'Conversation not found' } as const;

const params = z.object({ uuid: z.uuid().toLowerCase().describe('Of the conversation.') });
const page = z.object({
  cursor: text()
    .regex(/^[1-9]\d{0,15}$/, { error: 'The :attribute field is not a cursor.' })
    .optional()
    .describe('`next_cursor` of the page before.'),
  per_page: perPage(20),
});
const timestamp = z.iso.datetime();

const conversationResource = z
  .object({
    id: z.int(),
    uuid: z.uuid(),
    sender_id: z.int(),
    customer_phone: z.string().describe('In E.164, or what the platform calls who hides the number.'),
    customer_name: z.string().nullable(),
    ai_enabled: z.boolean().describe('Whether the assistant answers.'),
    moved_to: z
      .string()
      .nullable()
      .describe(
        'The number that the contact has now, as the platform tells; null while it tells of none. What is written to the old one does not reach them.',
      ),
    moved_from: z
      .string()
      .nullable()
      .describe('The number that the contact had before, in another conversation.'),
    marketing_stopped_at: timestamp
      .nullable()
      .describe(
        'Since when the contact wants no marketing messages of the sender, as the platform tells, which refuses such templates to them; null while it tells of none.',
      ),
    last_received_at: timestamp.nullable().describe('When the contact last wrote.'),
    last_message_at: timestamp.nullable().describe('Of either side.'),
    created_at: timestamp,
  })
  .meta({ id: 'Conversation' });

const messageResource = z
  .object({
    id: z.int(),
    direction: z.enum(['inbound', 'outbound']),
    author: z
      .enum(['contact', 'person', 'assistant'])
      .describe('Who wrote it; `person` for what was sent by the API or by hand.'),
    type: z
      .string()
      .describe(
        '`text` or `template`; else what the platform calls it, such as `image`, `audio`, `reaction`.',
      ),
    text: z.string().nullable(),
    template_id: z.int().nullable(),
    message_sid: z
      .string()
      .nullable()
      .describe('What the platform calls it; null while it has not been handed over.'),
    status: z.enum(['received', 'queued', 'unknown', 'sent', 'delivered', 'read', 'failed']),
    error: z
      .string()
      .nullable()
      .describe('Why it failed, or may have; of an inbound message why the assistant did not answer it.'),
    ...messageReferences,
    created_at: timestamp,
  })
  .meta({ id: 'Message' });

export const listConversations = defineOperation({
  ...conversations,
  name: 'list-conversations',
  kind: 'query',
  method: 'GET',
  path: '/api/user/conversations',
  summary: 'List conversations, newest first',
  description: 'Without their messages, which `GET /api/user/conversations/{uuid}` has.',
  query: page,
  success: {
    status: 200,
    schema: z.object({ data: z.array(conversationResource), next_cursor: nextCursor() }),
  },
});

export const getConversation = defineOperation({
  ...oneConversation,
  name: 'get-conversation',
  kind: 'query',
  method: 'GET',
  path: '/api/user/conversations/{uuid}',
  summary: 'A conversation with its messages, newest first',
  description: 'With `as_of` (a timestamp or a position) as it was at that moment.',
  params,
  query: page.extend({ as_of: asOf() }),
  success: {
    status: 200,
    schema: z.object({
      data: conversationResource.extend({ messages: z.array(messageResource) }),
      next_cursor: nextCursor(),
    }),
  },
});

const aiState = z.object({ status: z.literal(true), ai_enabled: z.boolean() });

export const enableConversationAi = defineOperation({
  ...oneConversation,
  name: 'enable-conversation-ai',
  kind: 'command',
  method: 'POST',
  path: '/api/user/conversations/{uuid}/enable-ai',
  summary: 'Let the assistant answer new messages again',
  description:
    'Replies end when a person writes, or are disabled; this turns them on again. What was written before is not answered.',
  params,
  success: { status: 200, schema: aiState },
});

export const disableConversationAi = defineOperation({
  ...oneConversation,
  name: 'disable-conversation-ai',
  kind: 'command',
  method: 'POST',
  path: '/api/user/conversations/{uuid}/disable-ai',
  summary: 'Stop the replies of the assistant',
  description: 'Messages are stored and not answered until replies are enabled again.',
  params,
  success: { status: 200, schema: aiState },
});
