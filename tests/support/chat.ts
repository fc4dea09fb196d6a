import { topUpBalance } from '@parley/contracts';
import { connectBusClient } from '@parley/message-bus';
import { eventually } from '@parley/testing';
import { request } from 'undici';
import { z } from 'zod';
import { ask, registerTestAccount, type TestAccount } from './accounts.ts';
import { type Api, createApi } from './api.ts';
import { connectedSender, type PlatformTemplate } from './chat-platform.ts';
import { comingBack } from './coming-back.ts';

/** The view of conversations in messaging's database, as locks name it. */
export const conversationsTable = 'view_conversations_v4.conversations';
export const messagesTable = 'view_conversations_v4.messages';

/** The addresses of a stack that tests of the chat app need, shared or their own. */
export interface ChatStack {
  readonly gatewayUrls: readonly string[];
  readonly natsUrl: string;
  readonly sandboxUrl: string;
}

export interface ChatAccount {
  readonly account: TestAccount;
  readonly api: Api;
  readonly senderId: number;
  readonly senderPhone: string;
  /** Ids of the templates by their names. */
  readonly templates: Readonly<Record<string, number>>;
}

export interface ChatAccountOptions {
  /** In the account's billing unit; 100 when absent. */
  readonly balance?: number;
  readonly messagingLimit?: number | null;
  readonly online?: boolean;
  readonly assistantId?: (api: Api) => Promise<number>;
}

const templates: readonly PlatformTemplate[] = [
  {
    name: 'order_ready',
    category: 'utility',
    status: 'approved',
    body_text: 'Hello {{1}}, order {{2}} is ready.',
    variables: ['first name', 'order'],
  },
  { name: 'greeting', category: 'utility', status: 'approved', body_text: 'Hello' },
  { name: 'in_review', category: 'marketing', status: 'pending', body_text: 'Soon' },
  { name: 'refused', category: 'marketing', status: 'rejected', body_text: 'Never' },
];

/** An account with money, a sender of its own, and templates of every status. */
export async function chatAccount(stack: ChatStack, options: ChatAccountOptions = {}): Promise<ChatAccount> {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  const balance = options.balance ?? 100;
  if (balance > 0)
    await ask(bus, topUpBalance, {
      account_id: account.id,
      amount_micros: balance * 1_000_000,
      description: 'Test',
      reference: null,
    });
  await bus.close();
  const api = comingBack(createApi(stack.gatewayUrls[0] ?? '', account.key));
  const assistantId = await options.assistantId?.(api);
  const { messagingLimit: messaging_limit = null, online = true } = options;
  const sender = await connectedSender(api, { messaging_limit, online }, templates, {
    sandboxUrl: stack.sandboxUrl,
    ...(assistantId === undefined ? {} : { assistantId }),
  });
  const ids = Object.entries(sender.templates).map(([name, { id }]) => [name, id] as const);
  return { account, api, senderId: sender.id, senderPhone: sender.phone, templates: Object.fromEntries(ids) };
}

/** Resolves when messaging answers again. */
export async function untilAnswering(api: Api): Promise<void> {
  await eventually(async () => {
    const { status, text } = await api.get('/api/user/chatapp/senders');
    if (status !== 200) throw new Error(text);
  });
}

export interface AskedSend {
  /** E.164 */
  readonly to: string;
  readonly reference: string;
}

/** The messages that the chat platform was asked to send, in order; with `phone`, only those to this number. */
export async function sentTo(
  { sandboxUrl }: Pick<ChatStack, 'sandboxUrl'>,
  phone?: string,
): Promise<AskedSend[]> {
  const response = await request(`${sandboxUrl}/control/requests?provider=chat`);
  const { data } = requestPage.parse(await response.body.json());
  return data.flatMap(({ body }) => {
    if (!body) return [];
    const to = body.to.replace(/^\+?/, '+');
    return phone === undefined || to === phone ? [{ to, reference: body.biz_opaque_callback_data }] : [];
  });
}

/** How many requests to the language model held this text. */
export async function timesModelAsked(
  { sandboxUrl }: Pick<ChatStack, 'sandboxUrl'>,
  text: string,
): Promise<number> {
  const response = await request(`${sandboxUrl}/control/requests?provider=llm`);
  const { data } = questionPage.parse(await response.body.json());
  return data.filter(({ body }) => JSON.stringify(body).includes(text)).length;
}

const questionPage = z.object({ data: z.array(z.object({ body: z.unknown() })) });

const requestPage = z.object({
  data: z.array(
    z.object({
      body: z.object({ to: z.string(), biz_opaque_callback_data: z.string() }).nullable().catch(null),
    }),
  ),
});
