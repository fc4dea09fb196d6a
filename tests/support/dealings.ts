import { eventually } from '@parley/testing';
import { expect, onTestFinished } from 'vitest';
import type { Pair } from '../chatapp-voice/voice-stack.ts';
import { type Call, callIn, callingAssistant, endCall, makeCall } from './calls.ts';
import { listOf } from './campaigns.ts';
import { control } from './chat-platform.ts';
import { dataOfEvents, leadsByStatus, startSmsCampaign } from './sms.ts';
import { ownNumber } from './telephony.ts';
import { startWebhookReceiver } from './webhooks.ts';

/** A template with a gap for the customer's name. */
export const greetingByName = {
  name: 'order_ready',
  category: 'utility',
  status: 'approved',
  body_text: 'Hello {{1}}.',
  variables: ['first name'],
} as const;

/**
 * Does everything with a customer that an account can do, with `canary` in all texts; resolves with the paths where
 * it can be read.
 */
export async function dealWith(pair: Pair, customer: string, canary: string): Promise<readonly string[]> {
  const { api, sender } = pair;
  const parties = { to: sender.phone, from: customer };
  const referral = { source_type: 'ad', source_id: '1', source_url: 'https://fb.me/1', ctwa_clid: canary };
  const wrote = { text: `I am ${canary}.`, button_payload: canary, referral };
  await control('chat/inbound', { ...parties, ...wrote, name: canary });
  const sent = await eventually(async () => {
    const answer = await api.post('/api/user/chatapp/send', {
      sender_id: sender.id,
      template_id: sender.templates.order_ready?.id,
      recipient_phone: customer,
      recipient_name: canary,
      variables: { 1: canary },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { conversation_uuid: string };
  });
  const assistant = await callingAssistant(api);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  const hook = { assistant_id: assistant.id, webhook_url: receiver.url };
  expect((await api.post('/api/user/assistants/enable-webhook', hook)).status).toBe(200);
  const { id: callId } = await makeCall(api, assistant.id, customer);
  const transcript = [{ role: 'customer', text: `This is ${canary} at ${customer}.` }];
  await endCall(await callIn(api, callId, 'ringing'), { outcome: 'completed', duration_s: 3, transcript });
  await callIn(api, callId, 'completed');
  const callBack = { direction: 'inbound', from: customer, to: assistant.trunk.phone_number };
  await control('calls', { ...callBack, outcome: 'completed', duration_s: 3, transcript });
  await eventually(async () => {
    const { data } = await listOf<Call>(api, '/api/user/calls?status=completed');
    expect(data.filter(({ customer_phone }) => customer_phone === customer)).toHaveLength(2);
  });
  await eventually(() => expect(receiver.requests.some(({ body }) => body.includes(canary))).toBe(true));
  await ownNumber(api);
  const campaign = await startSmsCampaign(api, 'Hello {{name}}', [{ phone: customer, name: canary }]);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 1 }));
  const sms = (await dataOfEvents(api, 'SmsSendStarted')).at(-1);
  return [
    '/api/user/conversations',
    `/api/user/conversations/${sent.conversation_uuid}`,
    '/api/user/calls',
    `/api/user/calls/${callId}`,
    `/api/user/leads?campaign_id=${campaign.id}`,
    '/api/user/webhook-deliveries',
    '/api/user/balance/transactions',
    '/api/user/events?limit=500',
    `/api/user/history?resource=call/${callId}`,
    `/api/user/history/state?resource=sms/${sms?.sms_id}`,
  ];
}
