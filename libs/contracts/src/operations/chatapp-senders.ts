import { z } from 'zod';
import { senderResource, templateResource } from '../chatapp-resources.ts';
import { bodyId, pathId, text, writtenUpTo } from '../input/text.ts';
import { defineOperation } from '../operation.ts';

const senders = {
  service: 'messaging',
  tag: 'Chat-app senders',
  errorShape: 'chatapp',
} as const;
const oneSender = {
  ...senders,
  notFoundMessage: 'Sender not found',
  notFoundErrorCode: 'SENDER_NOT_FOUND',
} as const;

const assistantId = bodyId().nullable().optional().describe('Who answers on it; null for nobody.');
const displayName = writtenUpTo(255).describe('What recipients see.');

export const connectSender = defineOperation({
  ...senders,
  name: 'connect-sender',
  kind: 'command',
  method: 'POST',
  path: '/api/user/chatapp/senders',
  summary: 'Connect a business number of the chat platform as a sender',
  description:
    'Status, quality, limit and templates follow the platform. A number belongs to one account. `assistant_id` is who answers on it; without one messages are stored and not answered.',
  body: z.object({
    /** Checked by the service, which has a code of its own for it. */
    phone_number: text().describe('The business number, in E.164.'),
    display_name: displayName,
    assistant_id: assistantId,
  }),
  rejections: ['invalid_phone'],
  example: { phone_number: '+442079460789', display_name: 'Parley Shop', assistant_id: 2 },
  success: { status: 201, schema: z.object({ data: senderResource }) },
});

export const updateSender = defineOperation({
  ...oneSender,
  name: 'update-sender',
  kind: 'command',
  method: 'PUT',
  path: '/api/user/chatapp/senders/{id}',
  summary: 'Change who answers on a sender, or its name',
  description: 'Only the fields sent are changed; `assistant_id: null` stops the answering.',
  params: z.object({ id: pathId().describe('Of the sender.') }),
  body: z.object({ display_name: displayName.optional(), assistant_id: assistantId }),
  example: { id: 1, display_name: 'Parley Support' },
  success: { status: 200, schema: z.object({ data: senderResource }) },
});

export const disconnectSender = defineOperation({
  ...oneSender,
  name: 'disconnect-sender',
  kind: 'command',
  method: 'DELETE',
  path: '/api/user/chatapp/senders/{id}',
  summary: 'Disconnect a sender',
  description:
    'Nothing is sent from it or taken in for it any more; its conversations and its history stay. Its number can be connected again, by any account, as another sender.',
  params: z.object({ id: pathId().describe('Of the sender.') }),
  success: { status: 200, schema: z.object({ message: z.string() }) },
});

export const listSenders = defineOperation({
  ...senders,
  name: 'list-senders',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/senders',
  summary: 'List senders, newest first; only those online unless asked otherwise',
  description: 'Status, quality and limit are what the platform told last.',
  query: z.object({
    status: z.enum(['online', 'offline', 'all']).default('online').describe('Which of them are shown.'),
  }),
  success: { status: 200, schema: z.object({ data: z.array(senderResource) }) },
});

export const listTemplates = defineOperation({
  ...oneSender,
  name: 'list-templates',
  kind: 'query',
  method: 'GET',
  path: '/api/user/chatapp/senders/{senderId}/templates',
  summary: 'List the templates of a sender, newest first; only approved ones unless asked otherwise',
  description: '`variables` are the names of what a send has to fill in.',
  params: z.object({ senderId: pathId().describe('Whose templates they are.') }),
  query: z.object({
    status: z
      .enum(['approved', 'pending', 'rejected', 'all'])
      .default('approved')
      .describe('Which of them are shown.'),
  }),
  success: { status: 200, schema: z.object({ data: z.array(templateResource) }) },
});
