import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { gatewayUrls } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';
import { chatAccount } from '../support/chat.ts';
import { notification, postCallback } from '../support/chat-callbacks.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { balanceOf, conversationWith, readConversation, repliesIn } from './sending.ts';

test('what a person writes in the chat platform’s own app is on record once, and the assistant leaves the rest to them', async () => {
  const chat = await chatAccount(sharedStack(), { assistantId: createAssistant });
  const number = { phone_number: chat.senderPhone };
  const platform = await control<{ phone_number_id: string; waba_id: string }>('chat/senders', number);
  const customer = freshCustomerNumber();
  const echo = notification(platform.waba_id, 'smb_message_echoes', {
    metadata: { phone_number_id: platform.phone_number_id },
    message_echoes: [
      {
        id: `wamid.${customer}`,
        from: chat.senderPhone.slice(1),
        to: customer.slice(1),
        timestamp: String(Math.floor(Date.now() / 1_000)),
        type: 'text',
        text: { body: 'It is ready.' },
      },
    ],
  });
  for (let times = 0; times < 2; times += 1)
    expect((await postCallback(gatewayUrls()[0] ?? '', echo)).status).toBe(200);
  const uuid = await conversationWith(chat, customer);
  await control('chat/inbound', { to: chat.senderPhone, from: customer, text: 'Thank you! Until when?' });
  await eventually(async () =>
    expect(await readConversation(chat, uuid)).toMatchObject({
      ai_enabled: false,
      messages: [
        { author: 'contact', text: 'Thank you! Until when?' },
        { author: 'person', direction: 'outbound', text: 'It is ready.', status: 'sent' },
      ],
    }),
  );
  expect(await repliesIn(chat, uuid)).toEqual([]);
  expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '100.00', reserved_balance: '0.00' });
});
