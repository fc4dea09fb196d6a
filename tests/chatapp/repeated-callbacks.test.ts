import { randomInt, randomUUID } from 'node:crypto';
import { getCallPermission } from '@parley/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayUrls } from '../support/accounts.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { notification, postCallback } from '../support/chat-callbacks.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRows } from '../support/database.ts';
import { sharedStack } from '../support/shared-stack.ts';

const seed = randomInt(2 ** 31);
const stack = sharedStack();

interface Platform {
  readonly phone_number_id: string;
  readonly waba_id: string;
}

/** A chat as the platform knows it: the customer, and a message of ours on its way to them. */
async function startChat() {
  const chat = await chatAccount(stack);
  const customer = freshCustomerNumber();
  const platform = await control<Platform>('chat/senders', { phone_number: chat.senderPhone });
  const sent = await chat.api.post('/api/user/chatapp/send', {
    sender_id: chat.senderId,
    template_id: chat.templates.greeting,
    recipient_phone: customer,
  });
  const { message_sid, conversation_uuid } = Object(sent.body);
  const [asked] = await sentTo(stack, customer);
  const messageSid = String(message_sid);
  const reference = String(asked?.reference);
  return { chat, customer, platform, messageSid, reference, uuid: String(conversation_uuid) };
}

type Chat = Awaited<ReturnType<typeof startChat>>;

const startedAt = Math.floor(Date.now() / 1_000) - 60;

/** Everything that the platform has to tell about a chat, in order. */
function callbacksOf({ customer, platform, messageSid, reference }: Chat, run: string): string[] {
  const from = customer.slice(1);
  const tell = (value: object) =>
    notification(platform.waba_id, 'messages', {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '1', phone_number_id: platform.phone_number_id },
      ...value,
    });
  const written = (n: number) => ({
    id: `wamid.${run}.${n}`,
    from,
    timestamp: String(startedAt + n),
    type: 'text',
    text: { body: `Message ${n}` },
  });
  /** To the question whether calls are welcome: no, and then yes after all. */
  const answered = (response: string, n: number) => ({
    id: `wamid.${run}.${n}`,
    from,
    timestamp: String(startedAt + n),
    type: 'interactive',
    context: { id: 'wamid.question' },
    interactive: {
      type: 'call_permission_reply',
      call_permission_reply: { response, is_permanent: false },
    },
  });
  const statuses = ['sent', 'delivered', 'read'].map((status, n) =>
    tell({
      statuses: [
        {
          id: messageSid,
          status,
          timestamp: String(startedAt + n),
          recipient_id: from,
          biz_opaque_callback_data: reference,
        },
      ],
    }),
  );
  return [
    ...statuses,
    ...[1, 2, 3].map((n) => tell({ messages: [written(n)] })),
    // The platform puts several into one notification when it is behind.
    tell({ messages: [written(4), written(5)] }),
    ...['reject', 'accept'].map((response, n) => tell({ messages: [answered(response, 6 + n)] })),
  ];
}

/** What is left of it: each message with its status, whatever its ids, and whether calls are welcome. */
async function outcomeOf({ uuid, chat, customer }: Chat, run: string) {
  const { body } = await chat.api.get(`/api/user/conversations/${uuid}?per_page=100`);
  const { messages, ...conversation } = (body as { data: { messages: Record<string, unknown>[] } }).data;
  return {
    messages: messages
      .map(({ direction, text, status, message_sid }) => ({
        direction,
        text,
        status,
        sid: direction === 'inbound' ? String(message_sid).replace(run, '') : 'ours',
      }))
      .sort((a, b) => String(a.text).localeCompare(String(b.text))),
    lastReceivedAt: Object(conversation).last_received_at,
    events: await eventTypes(chat),
    permission: await permissionOf(chat, customer),
  };
}

async function permissionOf({ api, senderId }: ChatAccount, customer: string) {
  const query = `sender_id=${senderId}&recipient_phone=${encodeURIComponent(customer)}`;
  const answer = await api.get(`/api/user/chatapp/voice/permission?${query}`);
  const { status, session_open, expires_at } = getCallPermission.success.schema.parse(answer.body);
  return { status, session_open, expires_at };
}

async function eventTypes({ account }: ChatAccount): Promise<string[]> {
  const rows = await readRows<{ type: string }>(
    'messaging',
    `select type from es.events where account_id = ${account.id} and type not like 'Template%' order by type`,
  );
  // What a later one has overtaken is no event, or another one; what is left is compared above.
  const overtaken = new Set(['MessageDelivered', 'CallPermissionRejected', 'CallPermissionReplyOutdated']);
  return rows.map(({ type }) => type).filter((type) => !overtaken.has(type));
}

test('callbacks told three times and out of order leave the same as once and in order', async () => {
  const [gateway = '', otherGateway = ''] = gatewayUrls();
  const orderly = await startChat();
  const disorderly = await startChat();
  const runs = { orderly: randomUUID(), disorderly: randomUUID() };
  for (const body of callbacksOf(orderly, runs.orderly))
    expect((await postCallback(gateway, body)).status).toBe(200);

  const told = callbacksOf(disorderly, runs.disorderly).flatMap((body) => [body, body, body]);
  const [shuffled = []] = fc.sample(fc.shuffledSubarray(told, { minLength: told.length }), {
    numRuns: 1,
    seed,
  });
  const answers = await Promise.all(
    shuffled.map((body, index) => postCallback(index % 2 === 0 ? gateway : otherGateway, body)),
  );
  expect(answers.map(({ status }) => status)).toEqual(told.map(() => 200));

  const expected = await outcomeOf(orderly, runs.orderly);
  expect(expected.messages.map(({ status }) => status).sort()).toEqual([
    'read',
    ...Array.from({ length: 5 }, () => 'received'),
  ]);
  expect(expected.permission).toMatchObject({ status: 'granted', session_open: true });
  expect(await outcomeOf(disorderly, runs.disorderly), `seed ${seed}`).toEqual(expected);
});
