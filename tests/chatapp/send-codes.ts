import { expect } from 'vitest';
import type { ChatAccount, ChatAccountOptions } from '../support/chat.ts';
import { type CodeCase, fault, nobody, ofAccount, one, refusedByPlatform, wrong } from './code-case.ts';
import { freeformPath, greeting, sendPath } from './sending.ts';

const send = (change: (chat: ChatAccount) => object, options?: ChatAccountOptions) =>
  ofAccount((chat, to) => chat.api.post(sendPath, { ...greeting(chat, to), ...change(chat) }), options);
const write = (change: object, options?: ChatAccountOptions) =>
  ofAccount(
    (chat, recipient_phone) =>
      chat.api.post(freeformPath, { sender_id: chat.senderId, recipient_phone, message: 'Hello', ...change }),
    options,
  );
/** The specification's table of send errors, and what the decisions add to it. */
export const sendCodes: readonly CodeCase[] = [
  one(
    'send',
    'invalid',
    send(() => ({ template_id: undefined })),
    wrong('template_id'),
  ),
  one(
    'send',
    'sender_not_found',
    send(() => ({ sender_id: nobody })),
  ),
  one(
    'send',
    'sender_offline',
    send(() => ({}), { online: false }),
  ),
  one(
    'send',
    'template_not_found',
    send(() => ({ template_id: nobody })),
  ),
  one(
    'send',
    'template_not_approved',
    send(({ templates }) => ({ template_id: templates.in_review })),
    {
      error: 'The template is not approved; its status is pending.',
    },
  ),
  one(
    'send',
    'template_not_approved',
    send(({ templates }) => ({ template_id: templates.refused })),
    {
      error: 'The template is not approved; its status is rejected.',
    },
  ),
  one(
    'send',
    'invalid_phone',
    send(() => ({ recipient_phone: '0171 1234567' })),
  ),
  one(
    'send',
    'variables_missing',
    send(({ templates }) => ({ template_id: templates.order_ready })),
    {
      error: 'Values of template variables are missing: first name, order.',
      more: { details: { missing: ['first name', 'order'] } },
    },
  ),
  one(
    'send',
    'messaging_limit_reached',
    send(() => ({}), { messagingLimit: 0 }),
    {
      error: 'The sender has reached its limit of 0 unique recipients in 24 hours.',
      more: { details: { limit: 0, used: 0 } },
    },
  ),
  one(
    'send',
    'insufficient_balance',
    send(() => ({}), { balance: 0 }),
  ),
  one(
    'send',
    'send_failed',
    ofAccount(async (chat, to, stack) => {
      await fault(stack, 'send_message', 'reject');
      return chat.api.post(sendPath, greeting(chat, to));
    }),
    refusedByPlatform,
  ),
  one(
    'send',
    'send_failed',
    ofAccount(async (chat, to, stack) => {
      await fault(stack, 'send_message', 'garbage');
      return chat.api.post(sendPath, greeting(chat, to));
    }),
    {
      error: 'The chat platform gave no usable answer. The message may have been sent; it is not sent again.',
      more: {
        details: {
          outcome: 'unknown',
          message_id: expect.any(Number),
          conversation_id: expect.any(Number),
          conversation_uuid: expect.any(String),
        },
      },
    },
  ),
  one('freeform', 'invalid', write({ message: '' }), wrong('message')),
  one('freeform', 'sender_not_found', write({ sender_id: nobody })),
  one('freeform', 'sender_offline', write({}, { online: false })),
  one('freeform', 'invalid_phone', write({ recipient_phone: '12' })),
  one('freeform', 'session_expired', write({})),
];
