import { listCampaigns } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { dataOf, makeCampaign } from '../support/campaigns.ts';
import { chatAccount } from '../support/chat.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { dataOfEvents, leadsByStatus } from '../support/sms.ts';

test('a message that WhatsApp took and did not send, as its account is unpaid, has the campaign wait, and its lead written to later', async () => {
  const { api, senderId: sender_id, templates } = await chatAccount(sharedStack());
  const template_id = templates.greeting;
  const campaign = await makeCampaign(api, { channel: 'chatapp', sender_id, template_id });
  dataOf(await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: freshCustomerNumber() }));
  const start = { campaign_id: campaign.id, action: 'start' };
  expect((await api.post('/api/user/campaigns/update-status', start)).status).toBe(200);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 1 }));
  const [sent] = await dataOfEvents(api, 'MessageSent');
  const unpaid = { message_sid: sent?.message_sid, status: 'failed', error_code: 131042 };
  await control('chat/message-status', unpaid);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ queued: 1 }));
  await eventually(async () => {
    const { body } = await api.get('/api/user/campaigns');
    expect(listCampaigns.success.schema.parse(body).data[0]?.held_up).toMatchObject({
      reason: 'The chat platform did not send the message: Message Undeliverable.',
    });
  });
});
