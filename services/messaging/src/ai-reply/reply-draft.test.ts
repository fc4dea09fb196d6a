import type { MessageEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { sender } from '../message/draft/send.fixture.ts';
import { draftReply, replyCommandId } from './reply-draft.ts';

const [receipt] = golden<MessageEvent>('MessageReceived.v1');
if (receipt?.type !== 'MessageReceived') throw new Error('The golden file holds it.');
const { data: received } = receipt;

test('the first part of a reply pays for all, and each says what it answers', () => {
  const part = (n: number) =>
    draftReply(received, sender, { body: 'Tomorrow.', part: n, priceMicros: 20_000 });
  const { accountId, id } = sender;
  const { contact_phone: contactPhone, message_id: inReplyTo } = received;
  expect(part(0)).toMatchObject({
    ...{ accountId, sender: { id }, contactPhone, inReplyTo, author: 'assistant', kind: 'freeform' },
    ...{ body: 'Tomorrow.', content: { type: 'text', body: 'Tomorrow.' }, priceMicros: 20_000 },
    description: `AI reply to ${contactPhone}`,
  });
  expect(part(1)).toEqual({ ...part(0), priceMicros: 0 });
});

test('each part of a reply keeps its command id for ever, and so is sent once', () => {
  expect([0, 1, 2].map((part) => replyCommandId(7, part))).toEqual([
    'c06846c0-ef73-5df2-8d56-21e5a0b03094',
    '42ee94ef-4f4f-57a1-a9f1-0bc0363f3d49',
    'd2532783-c80d-53bf-8c11-d807135574c0',
  ]);
});
