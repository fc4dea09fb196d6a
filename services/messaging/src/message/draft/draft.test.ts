import { expect, test } from 'vitest';
import { type Draft, recipientOf } from './draft.ts';
import { sender } from './send.fixture.ts';

const draft: Draft = {
  accountId: 1,
  sender: { id: 2, ref: { phoneNumberId: '100', accountId: '200' }, messagingLimit: 250 },
  contactPhone: '+491701234567',
  contactName: null,
  author: 'person',
  kind: 'template',
  templateId: 8,
  body: 'Hello',
  content: { type: 'text', body: 'Hello' },
  priceMicros: 0,
  description: 'A message',
  inReplyTo: null,
};

test('the limit of a sender is about whom it writes to first, not about answers', () => {
  expect(recipientOf(draft)).toEqual({
    accountId: 1,
    senderId: sender.id,
    limit: 250,
    contactPhone: '+491701234567',
  });
  expect(recipientOf({ ...draft, kind: 'freeform' }).limit).toBeNull();
});
