import { createCampaign, createLead, listAssistants, listCampaigns, listSenders } from '@parley/contracts';
import { z } from 'zod';
import type { DemoContext, DemoPart } from './demo-part.ts';

const named = z.object({ data: z.array(z.object({ id: z.int(), name: z.string() })) });
const assistants = z.object({ data: z.array(z.object({ id: z.int(), type: z.string() })) });
const senders = z.object({ data: z.array(z.object({ id: z.int() })) });

const callName = 'Appointment reminders';
const chatName = 'Order updates';
const officeHours = {
  timezone: 'Europe/London',
  windows: [{ days: [1, 2, 3, 4, 5], from: '09:00', to: '17:30' }],
};

/** A stopped call campaign and a stopped chat-app campaign, each with leads. */
export const campaigns: DemoPart = {
  name: 'campaigns',
  async seed(context) {
    const { post, get } = context;
    const settings = [await callSettings(context), await chatSettings(context)];
    for (const each of settings) if (each) await post(createCampaign.path, each, `campaign-${each.channel}`);
    const { data } = await get(`${listCampaigns.path}?per_page=100`, named);
    const idOf = (name: string) => data.find((campaign) => campaign.name === name)?.id;
    for (const [name, phone_number, variables, secondary_contacts] of [
      [callName, '+442079460101', { first_name: 'Ada', appointment: 'Monday 10:00' }, ['+442079460102']],
      [callName, '+442079460103', { first_name: 'Grace', appointment: 'Tuesday 14:30' }, []],
      [chatName, '+442079460104', { first_name: 'Alan', order: 'A-1001' }, []],
    ] as const) {
      const campaign_id = idOf(name);
      const contacts = secondary_contacts.map((number) => ({ phone_number: number }));
      const lead = {
        campaign_id,
        phone_number,
        variables,
        ...(contacts.length > 0 && { secondary_contacts: contacts }),
      };
      if (campaign_id !== undefined) await post(createLead.path, lead, `lead-${phone_number}`);
    }
  },
};

async function callSettings({ get }: DemoContext) {
  const { data } = await get(`${listAssistants.path}?per_page=100`, assistants);
  // The first one made: the list begins with the newest.
  const assistant = data.findLast(({ type }) => type === 'outbound');
  return assistant && { name: callName, channel: 'call', assistant_id: assistant.id, ...officeHours };
}

async function chatSettings({ get }: DemoContext) {
  const sender = (await get(listSenders.path, senders)).data.at(-1);
  if (!sender) return undefined;
  const { data } = await get(`${listSenders.path}/${sender.id}/templates`, named);
  const template = data.find(({ name }) => name === 'order_update');
  if (!template) return undefined;
  const variable_mapping = { first_name: 'first_name', order_number: 'order' };
  const ids = { sender_id: sender.id, template_id: template.id };
  return { name: chatName, channel: 'chatapp', ...ids, variable_mapping, ...officeHours };
}
