import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { gatewayUrls } from '../support/accounts.ts';
import { createAssistant } from '../support/assistants.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { notification, postCallback } from '../support/chat-callbacks.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { balanceOf, conversationWith, readConversation, repliesIn } from './sending.ts';

interface Platform {
  readonly phone_number_id: string;
  readonly waba_id: string;
}

/** The platform's notification of one text, the same bytes each time it is told. */
async function textFrom(customer: string, { senderPhone }: ChatAccount, body: string): Promise<string> {
  const platform = await control<Platform>('chat/senders', { phone_number: senderPhone });
  return notification(platform.waba_id, 'messages', {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '1', phone_number_id: platform.phone_number_id },
    messages: [
      {
        id: `wamid.${randomUUID()}`,
        from: customer.slice(1),
        timestamp: String(Math.floor(Date.now() / 1_000)),
        type: 'text',
        text: { body },
      },
    ],
  });
}

test.each(['at once', 'one after the other, the last when it is answered already'])(
  'a message that is told three times %s is one message, with one reply that is charged once',
  async (when) => {
    const chat = await chatAccount(sharedStack(), { assistantId: (api) => createAssistant(api) });
    const customer = freshCustomerNumber();
    const told = await textFrom(customer, chat, 'Is it ready?');
    const [first = '', second = ''] = gatewayUrls();
    const tell = async (gateway: string) => expect((await postCallback(gateway, told)).status).toBe(200);
    const isAnswered = async () => {
      const uuid = await conversationWith(chat, customer);
      await eventually(async () => expect(await repliesIn(chat, uuid)).toHaveLength(1));
      return uuid;
    };
    if (when === 'at once') await Promise.all([first, second, first].map(tell));
    else {
      await tell(first);
      await tell(second);
      await isAnswered();
      await tell(first);
    }
    const uuid = await isAnswered();
    // The reply to a later message comes after whatever the copies might have caused.
    const later = await textFrom(customer, chat, 'And the other one?');
    expect((await postCallback(second, later)).status).toBe(200);
    await eventually(async () => expect(await repliesIn(chat, uuid)).toHaveLength(2));

    const { messages } = await readConversation(chat, uuid);
    expect(messages.map(({ author }) => author)).toEqual(['assistant', 'contact', 'assistant', 'contact']);
    expect(messages[2]?.text).toContain('Is it ready?');
    await eventually(async () =>
      expect(await balanceOf(chat.api)).toMatchObject({ total_balance: '99.96', reserved_balance: '0.00' }),
    );
    // A reply is in the conversation before it is handed over, and paid afterwards.
    expect(await sentTo(sharedStack(), customer)).toHaveLength(2);
  },
);
