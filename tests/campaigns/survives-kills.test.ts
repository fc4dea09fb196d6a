import { eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Campaign, dataOf, type Lead, listOf } from '../support/campaigns.ts';
import { chatAccount, sentTo } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(async () => {
  await stack?.stop();
});

test('a running chat-app campaign sends its template to every lead once, whichever process is killed', async () => {
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
  const start = { campaign_id: campaign.id, action: 'start' };
  expect((await api.post('/api/user/campaigns/update-status', start)).status).toBe(200);
  const counted = async (): Promise<Record<string, number>> => {
    const { data } = await listOf<Lead>(api, '/api/user/leads?per_page=100');
    const counts: Record<string, number> = {};
    for (const { status } of data) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  for (const [index, victim] of ['assistants', 'messaging', 'nats', 'assistants'].entries()) {
    await eventually(
      async () => expect((await counted()).completed ?? 0).toBeGreaterThanOrEqual(3 + 6 * index),
      60_000,
    );
    await stack.signal(victim, 'SIGKILL');
  }
  await eventually(async () => expect(await counted()).toEqual({ completed: phones.length }), 90_000);
  const sent = (await sentTo(stack)).map(({ to }) => to).filter((to) => phones.includes(to));
  expect(sent.toSorted()).toEqual(phones.toSorted());
}, 180_000);
