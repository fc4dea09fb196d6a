import { connectSender, listSenders } from '@parley/contracts';
import { z } from 'zod';
import type { DemoPart } from './demo-part.ts';

// Of Ofcom's ranges for fiction, in a country whose businesses may ask for calls.
const online = '+442079460123';
const offline = '+442079460456';
/** On the platform, but not connected: that is left to whoever tries the demo. */
const unconnected = '+442079460789';

const template = { sender_phone: online, language: 'en', category: 'utility', status: 'approved' };
const templates = [
  {
    ...template,
    name: 'order_update',
    body_text: 'Hello {{1}}, your order {{2}} is on its way.',
    variables: ['first_name', 'order_number'],
  },
  { ...template, name: 'welcome', category: 'marketing', body_text: 'Welcome! How can we help you?' },
  {
    ...template,
    name: 'may_we_call',
    body_text: 'May we call you about your request?',
    kind: 'voice_call_request',
  },
  {
    ...template,
    name: 'spring_sale',
    category: 'marketing',
    status: 'pending',
    body_text: 'Our sale begins!',
  },
  { ...template, name: 'you_won', category: 'marketing', status: 'rejected', body_text: 'You won a prize!' },
];

const idsOf = z.object({ data: z.array(z.object({ id: z.int(), phone_number: z.string() })) });
const assistants = z.object({ data: z.array(z.object({ id: z.int() })) });

/** An online sender that may call, with templates of every kind and status, and an offline one. */
export const senders: DemoPart = {
  name: 'senders',
  async seed({ control, post, put, get }) {
    await control('chat/senders', {
      phone_number: online,
      display_name: 'Parley Demo',
      messaging_limit: 1000,
      calling_enabled: true,
      online: true,
    });
    await control('chat/senders', { phone_number: offline, display_name: 'Parley Archive', online: false });
    await control('chat/senders', { phone_number: unconnected, display_name: 'Parley Shop', online: true });
    for (const each of templates) await control('chat/templates', each);
    const connect = { phone_number: online, display_name: 'Parley Demo' };
    await post(connectSender.path, connect, 'sender-online');
    await post(
      connectSender.path,
      { phone_number: offline, display_name: 'Parley Archive' },
      'sender-offline',
    );
    const [answering] = (await get('/api/user/assistants/get?per_page=1', assistants)).data;
    const { data } = await get(listSenders.path, idsOf);
    const demoSender = data.find(({ phone_number }) => phone_number === online);
    if (answering && demoSender)
      await put(`${connectSender.path}/${demoSender.id}`, { assistant_id: answering.id });
  },
};
