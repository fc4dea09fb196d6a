import {
  createSipTrunk,
  listAssistants,
  listCalls,
  listPhoneNumbers,
  listSipTrunks,
} from '@parley/contracts';
import { z } from 'zod';
import type { DemoContext, DemoPart } from './demo-part.ts';

const assistants = z.object({
  data: z.array(z.object({ id: z.int(), type: z.string(), phone_number_id: z.int().nullable() })),
});

const trunk = {
  phone_number: '+442079460190',
  nickname: 'Office',
  sip_username: 'demo',
  sip_password: 'demo-password-of-nobody',
  sip_address: 'sip.example.com',
  country_code: 'GB',
};

/** A SIP trunk that the inbound assistant answers on, a number that the outbound one calls from, and a call. */
export const calls: DemoPart = {
  name: 'calls',
  async seed(context) {
    const { control, get, post } = context;
    const known = await get(listSipTrunks.path, listSipTrunks.success.schema);
    if (known.data.length === 0) await post(createSipTrunk.path, trunk, 'sip-trunk');
    const [office] = (await get(listSipTrunks.path, listSipTrunks.success.schema)).data;
    const numbers = (await get(listPhoneNumbers.path, listPhoneNumbers.success.schema)).data;
    await giveNumber(context, 'inbound', office?.id);
    await giveNumber(context, 'outbound', numbers.find(({ type_label }) => type_label === 'Normal')?.id);
    const { total } = await get(listCalls.path, listCalls.success.schema);
    if (!office || total > 0) return;
    await control('calls', {
      direction: 'inbound',
      to: office.phone_number,
      from: '+442079460105',
      outcome: 'completed',
      duration_s: 42,
      transcript: [
        { role: 'assistant', text: 'Hello, you have reached the demo. How can I help you?' },
        { role: 'customer', text: 'When do you open tomorrow?' },
        { role: 'assistant', text: 'At nine.' },
      ],
    });
  },
};

/** To the first assistant of the type, unless it has one. */
async function giveNumber(
  { get, put }: DemoContext,
  type: 'inbound' | 'outbound',
  phone_number_id: number | undefined,
): Promise<void> {
  if (phone_number_id === undefined) return;
  const { data } = await get(`${listAssistants.path}?per_page=100`, assistants);
  // The list begins with the newest.
  const assistant = data.findLast((each) => each.type === type);
  if (assistant?.phone_number_id === null)
    await put(`/api/user/assistant/${assistant.id}`, { phone_number_id });
}
