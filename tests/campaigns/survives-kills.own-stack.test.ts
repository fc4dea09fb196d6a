import { createHmac } from 'node:crypto';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, createApi } from '../support/api.ts';
import { type Campaign, dataOf } from '../support/campaigns.ts';
import { chatAccount, sentTo } from '../support/chat.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { leadsByStatus, smsTo, startSmsCampaign } from '../support/sms.ts';
import { buy, countSilenced, numberForSale, setCard } from '../support/telephony.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack();
});
afterAll(async () => {
  await stack?.stop();
});

const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);

/** Makes the next request wait for an answer that does not come, whether it was done or not. */
const silence = (provider: 'carrier' | 'chat', operation: string, takes_effect: boolean) =>
  control('faults', { provider, operation, mode: 'timeout', times: 1, takes_effect }, stack.sandboxUrl);

/** All leads are reached but one that nobody knows of, which fails after a quarter of an hour. */
async function untilAllButOne(api: Api, campaign: Campaign, leads: number): Promise<void> {
  const becomes = (status: string) =>
    eventually(async () =>
      expect(await leadsByStatus(api, campaign)).toEqual({ completed: leads - 1, [status]: 1 }),
    );
  await becomes('queued');
  await advance(15 * 60);
  await becomes('failed');
}

test('a running chat-app campaign asks for its template once for every lead, whichever process is killed', async () => {
  const { api, senderId, templates } = await chatAccount(stack);
  const campaign = dataOf<Campaign>(
    await api.post('/api/user/campaign', {
      name: 'Spring',
      channel: 'chatapp',
      sender_id: senderId,
      template_id: templates.greeting,
    }),
  );
  const phones = Array.from({ length: 30 }, freshCustomerNumber);
  const file = `phone_number,name\n${phones.map((phone, n) => `${phone},Lead ${n}`).join('\n')}`;
  await api.call('POST', `/api/user/leads/import?campaign_id=${campaign.id}`, {
    raw: file,
    headers: { 'content-type': 'text/csv' },
  });
  await silence('chat', 'send_message', true);
  const start = { campaign_id: campaign.id, action: 'start' };
  expect((await api.post('/api/user/campaigns/update-status', start)).status).toBe(200);
  // What messaging was doing at a random moment may stay unknown for good: it is killed where that is known, and as long
  // as there are leads to come.
  const untilSilenced = (times: number) =>
    eventually(async () => expect(await countSilenced('chat', 'send_message', stack)).toBe(times));
  await untilSilenced(1);
  await stack.signal('messaging', 'SIGKILL');
  await silence('chat', 'send_message', false);
  await untilSilenced(2);
  await stack.signal('messaging', 'SIGKILL');
  const untilCompleted = (leads: number) =>
    eventually(async () =>
      expect((await leadsByStatus(api, campaign)).completed ?? 0).toBeGreaterThanOrEqual(leads),
    );
  for (const [index, victim] of ['assistants', 'nats', 'assistants'].entries()) {
    await untilCompleted(3 + 5 * index);
    await stack.signal(victim, 'SIGKILL');
  }
  await untilAllButOne(api, campaign, phones.length);
  const asked = (await sentTo(stack)).map(({ to }) => to).filter((to) => phones.includes(to));
  expect(asked.toSorted()).toEqual(phones.toSorted());
});

/** SMS whose sender waits for an answer that does not come. */
const held = (): Promise<number> => countSilenced('carrier', 'send_sms', stack);

test('an SMS campaign whose carrier is silent while telephony is killed sends nothing twice and keeps no money', async () => {
  const { api } = await chatAccount(stack);
  expect((await setCard(api)).status).toBe(200);
  expect((await buy(api, await numberForSale(stack))).status).toBe(201);
  const phones = Array.from({ length: 6 }, freshCustomerNumber);
  await silence('carrier', 'send_sms', true);
  const leads = phones.map((phone, n) => ({ phone, name: `Lead ${n}` }));
  const campaign = await startSmsCampaign(api, 'Hello {{name}}', leads);
  await eventually(async () => expect(await held()).toBe(1));
  await silence('carrier', 'send_sms', false);
  await stack.signal('telephony', 'SIGKILL');
  await eventually(async () => expect(await held()).toBe(2));
  await stack.signal('telephony', 'SIGKILL');
  // Whoever waited for an answer is gone: what was taken is told by callbacks, and of one nobody will ever tell.
  await advance(20);
  await untilAllButOne(api, campaign, phones.length);
  expect((await smsTo(phones, stack)).map(({ to }) => to).toSorted()).toEqual(phones.toSorted());
  await advance(25 * 60 * 60);
  await eventually(async () =>
    expect((await api.get('/api/user/me')).body).toMatchObject({
      total_balance: '99.75',
      reserved_balance: '0.00',
    }),
  );
});

test('an SMS that its carrier tells of hours after its lead was failed has reached it, and is paid for', async () => {
  const { api } = await chatAccount(stack);
  expect((await setCard(api)).status).toBe(200);
  expect((await buy(api, await numberForSale(stack))).status).toBe(201);
  const lost = { provider: 'carrier', operation: 'send_sms', mode: 'reset', times: 1, takes_effect: false };
  await control('faults', lost, stack.sandboxUrl);
  const phone = freshCustomerNumber();
  const campaign = await startSmsCampaign(api, 'Hello', [{ phone, name: 'Ada' }]);
  const becomes = (status: string) =>
    eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ [status]: 1 }));
  await eventually(async () => expect(await smsTo([phone], stack)).toHaveLength(1));
  await becomes('queued');
  await advance(15 * 60);
  await becomes('failed');
  const [asked] = await smsTo([phone], stack);
  const { origin, pathname, search } = new URL(asked?.statusUrl ?? '');
  const told = { MessageSid: `SM${'0'.repeat(32)}`, MessageStatus: 'delivered' };
  const signed = origin + pathname + search + Object.entries(told).flat().join('');
  const answer = await comingBack(createApi(stack.baseUrl)).call('POST', pathname + search, {
    raw: new URLSearchParams(told).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': createHmac('sha1', 'sandbox-twilio-token').update(signed).digest('base64'),
    },
  });
  expect(answer.status).toBe(200);
  await advance(60 * 60);
  await becomes('completed');
  await eventually(async () =>
    expect((await api.get('/api/user/me')).body).toMatchObject({ total_balance: '99.95' }),
  );
});
