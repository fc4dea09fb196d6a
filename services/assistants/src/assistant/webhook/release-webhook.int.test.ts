import { createHash } from 'node:crypto';
import {
  createAssistant,
  disableWebhook,
  enableWebhook,
  getAssistant,
  getHistory,
  releaseAutomationWebhook,
} from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';
import { asAccount, dataOf, type Send } from '../../outreach/outreach.fixture.ts';
import { leastInput } from '../settings.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(async () => {
  await copies?.close();
});

const token = 'w9dZ0q-token_of_an_automation';
const address = `https://parley.example/hooks/automations/${token}`;
const token_hash = createHash('sha256').update(token).digest('hex');

async function boundTo(send: Send, webhook_url: string): Promise<number> {
  const { id: assistant_id } = dataOf(await send(createAssistant, leastInput));
  dataOf(await send(enableWebhook, { assistant_id, webhook_url }));
  return assistant_id;
}
const webhookOf = async (send: Send, id: number) => {
  const { is_webhook_active: isOn, webhook_url: url } = dataOf(await send(getAssistant, { id }));
  return isOn ? url : null;
};

test('whoever tells an automation that hears nothing any more goes on without; nobody else does', async () => {
  const [send, stranger] = [asAccount(copies), asAccount(copies)];
  const bound: number[] = [];
  for (const url of [address, address.replace('https', 'http'), `${address}?from=calls`])
    bound.push(await boundTo(send, url));
  const others = [await boundTo(send, `${address}x`), await boundTo(send, 'https://crm.example/calls')];
  const foreign = await boundTo(stranger, address);
  const setAnew = await boundTo(send, address);
  dataOf(await send(enableWebhook, { assistant_id: setAnew, webhook_url: 'https://crm.example/calls' }));
  const off = await boundTo(send, address);
  dataOf(await send(disableWebhook, { assistant_id: off }));

  const release = () => copies.ask(releaseAutomationWebhook, { token_hash }, { accountId: send.accountId });
  expect(await release()).toEqual({ assistants: 3 });
  const lastOf = async (id?: number) =>
    (await copies.ask(getHistory, { resource: `assistant/${id}` })).changes.at(-1)?.summary;
  expect(await lastOf(bound[0])).toMatch(
    /because it went to an automation that hears of these calls no more/,
  );
  expect(await lastOf(off)).toMatch(/because somebody asked for it/);
  expect(await Promise.all(bound.map((id) => webhookOf(send, id)))).toEqual([null, null, null]);
  expect(await Promise.all([...others, setAnew].map((id) => webhookOf(send, id)))).toEqual([
    `${address}x`,
    'https://crm.example/calls',
    'https://crm.example/calls',
  ]);
  expect(await webhookOf(stranger, foreign)).toBe(address);
  expect(await release()).toEqual({ assistants: 0 });
});

test('whoever an automation is bound to now keeps it; without it nobody else leaves', async () => {
  const send = asAccount(copies);
  const [former, present] = [await boundTo(send, address), await boundTo(send, address)];
  const release = () =>
    copies.ask(releaseAutomationWebhook, { token_hash, but_for: present }, { accountId: send.accountId });
  expect(await release()).toEqual({ assistants: 1 });
  expect([await webhookOf(send, former), await webhookOf(send, present)]).toEqual([null, address]);
  dataOf(await send(disableWebhook, { assistant_id: present }));
  dataOf(await send(enableWebhook, { assistant_id: former, webhook_url: address }));
  expect(await release()).toEqual({ assistants: 0 });
  expect(await webhookOf(send, former)).toBe(address);
});
