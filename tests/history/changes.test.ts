import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, ask, freshAccount, sharedBus } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { ownNumber } from '../support/telephony.ts';

interface Change {
  readonly event: string;
  readonly event_id: string;
  readonly version: number;
  readonly position: number;
  readonly occurred_at: string;
  readonly actor: { readonly kind: string; readonly id: string };
  readonly request_id: string;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
}
interface Page {
  readonly data: readonly Change[];
  readonly next_cursor: string | null;
}

const webhook_url = 'https://example.com/calls';

async function page(api: Api, resource: string, query = ''): Promise<Page> {
  const answer = await api.get(`/api/user/history?resource=${encodeURIComponent(resource)}${query}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body as Page;
}

/** An assistant whose webhook was turned on and off again. */
async function disabledWebhook(api: Api) {
  const id = await createAssistant(api);
  await api.post('/api/user/assistants/enable-webhook', { assistant_id: id, webhook_url });
  const off = await api.post('/api/user/assistants/disable-webhook', { assistant_id: id });
  return { id, resource: `assistant/${id}`, requestId: off.headers['x-request-id'] };
}

test('the history says who disabled a webhook, when, by which request, and what it was before', async () => {
  const [api] = accountApis(await freshAccount());
  const { resource, requestId } = await disabledWebhook(api);
  const { data } = await page(api, resource);
  expect(data.map(({ event }) => event)).toEqual(['WebhookDisabled', 'WebhookEnabled', 'AssistantCreated']);
  expect(data[0]).toMatchObject({
    request_id: requestId,
    actor: { kind: 'api_key' },
    before: { is_webhook_active: true, webhook_url },
    after: { is_webhook_active: false, webhook_url: null },
  });
  expect(Date.parse(data[0]?.occurred_at ?? '')).not.toBeNaN();
});

test('actor, type, since and until narrow the history; pages join to all of it', async () => {
  const [api] = accountApis(await freshAccount());
  const { resource } = await disabledWebhook(api);
  const { data: all } = await page(api, resource);
  const [off, on] = all;
  const events = async (query: string) => (await page(api, resource, query)).data.map(({ event }) => event);
  expect(await events('&type=WebhookEnabled,AssistantCreated')).toEqual([
    'WebhookEnabled',
    'AssistantCreated',
  ]);
  expect(await events(`&actor=api_key:${off?.actor.id}&type=WebhookDisabled`)).toEqual(['WebhookDisabled']);
  expect(await events('&actor=operator')).toEqual([]);
  expect(await events(`&since=${off?.occurred_at}`)).toEqual(['WebhookDisabled']);
  expect(await events(`&until=${on?.occurred_at}`)).toEqual(['WebhookEnabled', 'AssistantCreated']);
  const paged: Change[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: Page = await page(api, resource, `&per_page=1${cursor && `&cursor=${cursor}`}`);
    paged.push(...next.data);
    cursor = next.next_cursor;
  }
  expect(paged).toEqual(all);
});

test.each([
  'actor=nonsense',
  'actor=robot:1',
  'type=WebhookDisabled,Nonsense',
  'since=yesterday',
  'cursor=x',
])('%s is refused by its name, rather than finding nothing', async (query) => {
  const [api] = accountApis(await freshAccount());
  const { status, body } = await api.get(`/api/user/history?resource=balance&${query}`);
  const [name = ''] = query.split('=');
  expect([status, body]).toEqual([
    422,
    expect.objectContaining({ errors: { [name]: [expect.any(String)] } }),
  ]);
});

test('an unknown resource, a foreign one and nonsense are the same bytes', async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const { resource } = await disabledWebhook(stranger);
  const answers = [];
  for (const name of [
    resource,
    'assistant/999999999',
    'assistant/0',
    'assistant',
    'nonsense/1',
    '/',
    'account/1',
  ])
    answers.push(await api.get(`/api/user/history?resource=${encodeURIComponent(name)}`));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set(['404 {"message":"Resource not found"}']),
  );
});

test('as_of shows the resource as it was at a position and at a time, and not at all before it was there', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, resource } = await disabledWebhook(api);
  const { data } = await page(api, resource);
  const [, on, created] = data;
  const then = (moment: string | number | undefined) =>
    api.get(`/api/user/assistant/${id}?as_of=${encodeURIComponent(String(moment))}`);
  const now = await api.get(`/api/user/assistant/${id}`);
  expect((await then(data[0]?.position)).body).toEqual(now.body);
  for (const moment of [on?.position, on?.occurred_at])
    expect((await then(moment)).body).toMatchObject({ data: { id, is_webhook_active: true, webhook_url } });
  expect((await then((created?.position ?? 1) - 1)).status).toBe(404);
  expect((await then('yesterday')).body).toMatchObject({ errors: { as_of: [expect.any(String)] } });
  await api.delete(`/api/user/assistant/${id}`);
  expect((await api.get(`/api/user/assistant/${id}`)).status).toBe(404);
  expect((await then(data[0]?.position)).body).toEqual(now.body);
});

test('as_of shows a knowledgebase as it was, also once it is deleted', async () => {
  const [api] = accountApis(await freshAccount());
  const made = await api.post('/api/user/knowledgebases', { name: 'Prices', description: 'Of 2025' });
  const { id } = (made.body as { data: { id: number } }).data;
  const first = await api.get(`/api/user/knowledgebases/${id}`);
  await api.put(`/api/user/knowledgebases/${id}`, { description: 'Of 2026' });
  await api.delete(`/api/user/knowledgebases/${id}`);
  const { data } = await page(api, `knowledgebase/${id}`);
  const then = await api.get(`/api/user/knowledgebases/${id}?as_of=${data.at(-1)?.position}`);
  expect([then.status, then.text]).toEqual([200, first.text]);
  expect((await api.get(`/api/user/knowledgebases/${id}?as_of=${data[0]?.position}`)).status).toBe(404);
});

test('a revert gives a disabled webhook its URL back, by a new event, once', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, resource } = await disabledWebhook(api);
  const [off] = (await page(api, resource)).data;
  const revert = () =>
    api.post(`/api/user/history/${off?.event_id}/revert`, undefined, { 'idempotency-key': `revert-${id}` });
  const first = await revert();
  expect([first.status, first.body]).toMatchObject([
    200,
    { data: { resource, event_id: off?.event_id, restored: { is_webhook_active: true, webhook_url } } },
  ]);
  expect((await api.get(`/api/user/assistant/${id}`)).body).toMatchObject({
    data: { is_webhook_active: true, webhook_url },
  });
  const again = await revert();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const { data } = await page(api, resource);
  expect(data.map(({ event }) => event)).toEqual([
    'WebhookEnabled',
    'WebhookDisabled',
    'WebhookEnabled',
    'AssistantCreated',
  ]);
});

test('an impossible revert says why and changes nothing', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, resource } = await disabledWebhook(api);
  const [off, on, created] = (await page(api, resource)).data;
  const refusal = async (eventId: string | undefined) => {
    const { status, body } = await api.post(`/api/user/history/${eventId}/revert`);
    return [status, (body as { message: string }).message];
  };
  expect(await refusal(created?.event_id)).toEqual([422, expect.stringMatching(/creation cannot be undone/)]);
  expect(await refusal(on?.event_id)).toEqual([422, expect.stringContaining(off?.event_id ?? '-')]);
  await api.delete(`/api/user/assistant/${id}`);
  const [deleted] = (await page(api, resource)).data;
  expect(await refusal(deleted?.event_id)).toEqual([422, expect.stringMatching(/stays deleted/)]);
  expect(await refusal(off?.event_id)).toEqual([422, expect.stringMatching(/deleted since/)]);
  expect((await page(api, resource)).data).toHaveLength(4);
});

test('what came from outside, like money, cannot be put back', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const question = { account_id: account.id, amount_micros: 5_000_000, description: 'Card', reference: null };
  await ask(await sharedBus(), topUpBalance, question);
  const [paid] = (await page(api, 'balance')).data;
  expect(paid).toMatchObject({
    event: 'BalanceToppedUp',
    before: { total_balance: '0.00' },
    after: { total_balance: '5.00' },
  });
  expect((await api.post(`/api/user/history/${paid?.event_id}/revert`)).status).toBe(422);
});

test('numbers, payment methods and money are shown by the names that the API has for them', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { id } = await ownNumber(api);
  const state = async (resource: string) =>
    Object((await api.get(`/api/user/history/state?resource=${resource}`)).body).data?.state;
  // Its first payment is confirmed when it is.
  await eventually(async () => {
    const { data } = (await api.get('/api/user/phone-numbers/all')).body as { data: object[] };
    const { type_label, created_at, ...number } = Object(data[0]);
    expect(await state(`number/${id}`)).toEqual({ ...number, failure: null });
  });
  const card = Object((await api.get('/api/user/payment-method')).body).data;
  expect(await state(`payment-method/${account.id}`)).toEqual(card);
  await ask(await sharedBus(), topUpBalance, {
    account_id: account.id,
    amount_micros: 5_000_000,
    description: 'Card',
    reference: null,
  });
  const balance = { total_balance: '5.00', available_balance: '5.00', reserved_balance: '0.00' };
  expect(await state('balance')).toEqual(balance);
  expect((await api.get('/api/user/me')).body).toMatchObject(balance);
});

test('a name, a color and the status of a campaign go back to what they were as well', async () => {
  const [api] = accountApis(await freshAccount());
  const folder = (await api.post('/api/user/folder', { name: 'Before' })).body as { data: { id: number } };
  const campaign = (await api.post('/api/user/campaign', { name: 'Spring', channel: 'sms', body: 'Hi' }))
    .body as {
    data: { id: number };
  };
  await api.put(`/api/user/folder/${folder.data.id}`, { name: 'After', color: 'teal' });
  await api.post('/api/user/campaigns/update-status', { campaign_id: campaign.data.id, action: 'start' });
  for (const resource of [`folder/${folder.data.id}`, `campaign/${campaign.data.id}`])
    for (const { event_id, version } of (await page(api, resource)).data)
      if (version > 1) expect((await api.post(`/api/user/history/${event_id}/revert`)).status).toBe(200);
  expect((await api.get('/api/user/folders')).body).toMatchObject({
    data: [{ name: 'Before', color: null }],
  });
  expect((await api.get('/api/user/campaigns')).body).toMatchObject({ data: [{ status: 'stopped' }] });
});
