import { getSessionStatus, sendFreeform } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { tellMessage } from '../support/tell-message.ts';
import {
  conversationWith,
  errorOf,
  freeformPath,
  greeting,
  patiently,
  readConversation,
  sendPath,
  sentBody,
} from './sending.ts';

let chat: ChatAccount;
beforeAll(async () => {
  chat = await chatAccount(sharedStack());
});

describe('the 24-hour window', () => {
  const session = async (to: string) =>
    getSessionStatus.success.schema.parse(
      (
        await chat.api.get(
          `/api/user/chatapp/session-status?sender_id=${chat.senderId}&recipient_phone=${encodeURIComponent(to)}`,
        )
      ).body,
    );
  const text = (to: string, message = 'Hello') =>
    chat.api.post(freeformPath, { sender_id: chat.senderId, recipient_phone: to, message });

  test('is closed before anything was written', async () => {
    const to = freshCustomerNumber();
    expect(await session(to)).toMatchObject({
      session_open: false,
      freeform_open: false,
      conversation_uuid: null,
    });
    expect(errorOf(await text(to))).toEqual({ status: 422, error_code: 'SESSION_EXPIRED' });
  });

  test('opens for text by our template, and the session by the contact only', async () => {
    const to = freshCustomerNumber();
    const sent = sentBody(await patiently(() => chat.api.post(sendPath, greeting(chat, to))));
    expect(await session(to)).toMatchObject({
      session_open: false,
      freeform_open: true,
      conversation_uuid: sent.conversation_uuid,
    });
    await control('chat/inbound', { to: chat.senderPhone, from: to, text: 'Hi' });
    await eventually(async () => expect(await session(to)).toMatchObject({ session_open: true }));
  });

  test('is not opened by a contact who deletes a message', async () => {
    const to = freshCustomerNumber();
    const revoke = { original_message_id: 'wamid.0' };
    const told = await tellMessage({ to: chat.senderPhone, from: to }, { type: 'revoke', revoke });
    expect(told.status).toBe(200);
    const uuid = await conversationWith(chat, to);
    const closed = { last_received_at: null, messages: [{ type: 'revoke', in_reply_to_sid: 'wamid.0' }] };
    expect(await readConversation(chat, uuid)).toMatchObject(closed);
    const then = await chat.api.get(`/api/user/conversations/${uuid}?as_of=${new Date().toISOString()}`);
    expect(then.body).toMatchObject({ data: closed });
    expect(await session(to)).toMatchObject({ session_open: false, freeform_open: false });
    expect(errorOf(await text(to))).toEqual({ status: 422, error_code: 'SESSION_EXPIRED' });
  });

  test('lets a person write, who takes over from the assistant', async () => {
    const to = freshCustomerNumber();
    await control('chat/inbound', {
      to: chat.senderPhone,
      from: to,
      text: 'Hi',
      name: 'Grace',
    });
    await eventually(async () => expect(await session(to)).toMatchObject({ freeform_open: true }));
    const answer = await text(to, 'How can I help?');
    const sent = sendFreeform.success.schema.parse(answer.body);
    const conversation = await readConversation(chat, sent.conversation_uuid);
    expect(conversation).toMatchObject({ ai_enabled: false, customer_name: 'Grace' });
    expect(conversation.messages.map(({ author }) => author)).toEqual(['person', 'contact']);
    expect(await sentTo(sharedStack(), to)).toHaveLength(1);
  });

  test.each([
    ['from an unknown sender', { sender_id: 999_999_999 }, 404, 'SENDER_NOT_FOUND'],
    ['to no phone number', { recipient_phone: '12' }, 422, 'INVALID_PHONE'],
    ['of more than 4096 characters', { message: 'x'.repeat(4_097) }, 422, 'VALIDATION_FAILED'],
    ['of no characters', { message: '' }, 422, 'VALIDATION_FAILED'],
  ])('a text %s is refused', async (_, change, status, error_code) => {
    const body = {
      sender_id: chat.senderId,
      recipient_phone: freshCustomerNumber(),
      message: 'Hi',
      ...change,
    };
    expect(errorOf(await chat.api.post(freeformPath, body))).toEqual({ status, error_code });
  });

  test('of an unknown sender is not shown', async () => {
    const query = `sender_id=999999999&recipient_phone=${encodeURIComponent(freshCustomerNumber())}`;
    const answer = await chat.api.get(`/api/user/chatapp/session-status?${query}`);
    expect(errorOf(answer)).toEqual({ status: 404, error_code: 'SENDER_NOT_FOUND' });
  });
});
