import { eventually } from '@parley/testing';
import { assistantBody } from '../support/assistants.ts';
import { callingAssistant } from '../support/calls.ts';
import { makeCampaign } from '../support/campaigns.ts';
import { type ChatStack, chatAccount } from '../support/chat.ts';
import { connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { setCard } from '../support/telephony.ts';

export interface SiegeStack extends ChatStack {
  readonly databaseUrl: string;
}

/** An account may ask twenty times an hour, and what is interrupted is asked again. */
const permissionAsks = 4;

/** An account with everything that the commands of a siege refer to. */
export interface Resident {
  readonly accountId: number;
  readonly key: string;
  readonly stack: SiegeStack;
  readonly senderId: number;
  readonly templateId: number;
  readonly voiceSenderId: number;
  /** A customer who has written, and whom a person may answer. */
  readonly writer: string;
  /** Customers who have written and were never asked whether calls are welcome. */
  readonly toAsk: string[];
  readonly campaignId: number;
  readonly folderId: number;
  readonly assistantId: number;
  readonly callingAssistantId: number;
}

export async function settle(stack: SiegeStack): Promise<Resident> {
  const { account, api, senderId, senderPhone, templates } = await chatAccount(stack, { balance: 10_000 });
  const { sandboxUrl } = stack;
  const voice = await connectedSender(
    api,
    { calling_enabled: true },
    [{ name: 'may_we_call', kind: 'voice_call_request' }],
    { sandboxUrl },
  );
  const writer = freshCustomerNumber();
  const toAsk = Array.from({ length: permissionAsks }, freshCustomerNumber);
  const writes = (to: string, from: string) =>
    control('chat/inbound', { to, from, text: 'Hello' }, sandboxUrl);
  await writes(senderPhone, writer);
  for (const customer of toAsk) await writes(voice.phone, customer);
  await eventually(async () => {
    const { body } = await api.get('/api/user/conversations?per_page=100');
    if ((body as { data: unknown[] }).data.length <= toAsk.length) throw new Error('Not all have written.');
  });
  await setCard(api);
  const made = async (path: string, body: object): Promise<number> =>
    ((await api.post(path, body)).body as { data: { id: number } }).data.id;
  return {
    accountId: account.id,
    key: account.key,
    stack,
    senderId,
    templateId: templates.greeting ?? 0,
    voiceSenderId: voice.id,
    writer,
    toAsk,
    campaignId: (await makeCampaign(api)).id,
    folderId: await made('/api/user/folder', { name: 'Home' }),
    assistantId: await made('/api/user/assistant', assistantBody()),
    callingAssistantId: (await callingAssistant(api)).id,
  };
}
