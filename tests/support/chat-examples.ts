import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { ask, sharedBus } from './accounts.ts';
import type { Api } from './api.ts';
import { connectedSender, control, type TestSender } from './chat-platform.ts';

/** Whom the examples write to. */
export const exampleCustomer = '+491719998877';

const known = new WeakMap<Api, Promise<TestSender>>();

/** A sender of the account that may write to the example's customer, who has written; the same one each time. */
export function ownChat(api: Api): Promise<TestSender> {
  const sender = known.get(api) ?? startChat(api);
  known.set(api, sender);
  return sender;
}

async function startChat(api: Api): Promise<TestSender> {
  const me = (await api.get('/api/user/me')).body as { id: number };
  const about = { description: 'Test', reference: null };
  await ask(await sharedBus(), topUpBalance, { account_id: me.id, amount_micros: 10_000_000, ...about });
  const sender = await connectedSender(api, {}, [{ name: 'greeting' }]);
  await control('chat/inbound', { to: sender.phone, from: exampleCustomer, text: 'Hello' });
  await ownConversation(api, sender);
  return sender;
}

export const ownTemplate = async (api: Api): Promise<number> =>
  (await ownChat(api)).templates.greeting?.id ?? 0;

export async function startedConversation(api: Api): Promise<string> {
  return ownConversation(api, await ownChat(api));
}

const ownConversation = (api: Api, { id }: TestSender): Promise<string> =>
  eventually(async () => {
    const { body } = await api.get('/api/user/conversations');
    const { data } = body as { data: { uuid: string; sender_id: number; last_received_at: string | null }[] };
    const conversation = data.find(({ sender_id }) => sender_id === id);
    if (!conversation?.last_received_at) throw new Error('The message has not arrived yet.');
    return conversation.uuid;
  });
