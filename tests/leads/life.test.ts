import { createLead, listLeads, updateLead } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import {
  type Campaign,
  dataOf,
  type Lead,
  listOf,
  makeCampaign,
  phoneNumber,
  settingsOf,
} from '../support/campaigns.ts';

const post = (api: Api, { id }: Campaign, lead: object = {}, headers: Record<string, string> = {}) =>
  api.post('/api/user/lead', { campaign_id: id, phone_number: phoneNumber(1), ...lead }, headers);
const errorsOf = ({ body }: { body: unknown }) => (body as { errors: Record<string, string[]> }).errors;
const prepare = async (channel: 'call' | 'chatapp' | 'sms' = 'sms'): Promise<[Api, Api, Campaign]> => {
  const [api, other] = accountApis(await freshAccount());
  return [api, other, await makeCampaign(api, await settingsOf[channel](api))];
};
const badNumber = 'The phone number must be a valid E.164 number.';
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

describe('a lead', () => {
  test('is created with status 200 and the shape of the specification, and listed', async () => {
    const [api, other, campaign] = await prepare('call');
    const contacts = [
      { phone_number: phoneNumber(2), variables: { relation: 'sister' } },
      { phone_number: phoneNumber(3) },
    ];
    const created = await post(api, campaign, { variables: { name: 'Ada' }, secondary_contacts: contacts });
    expect(created.status).toBe(200);
    createLead.success.schema.parse(created.body);
    expect(created.body).toEqual({
      message: 'Lead created successfully',
      data: {
        id: expect.any(Number),
        campaign_id: campaign.id,
        phone_number: phoneNumber(1),
        variables: { name: 'Ada' },
        status: 'created',
        created_at: timestamp,
        updated_at: timestamp,
        campaign: { id: campaign.id, name: campaign.name },
        secondary_contacts: contacts.map(({ phone_number, variables = {} }) => ({
          id: expect.any(Number),
          phone_number,
          variables,
          status: 'created',
          created_at: timestamp,
          updated_at: timestamp,
        })),
      },
    });
    const list = listLeads.success.schema.parse((await other.get('/api/user/leads')).body);
    expect(list).toEqual({ data: [dataOf(created)], current_page: 1, per_page: 15, total: 1 });
    expect((await listOf<Campaign>(api, '/api/user/campaigns')).data[0]?.leads_count).toBe(1);
  });

  test('has the variables that it was sent with, whatever names others gave theirs', async () => {
    const [api, , campaign] = await prepare();
    const [strangers, , theirs] = await prepare();
    // The answers are looked at as texts: here they would be read by `JSON.parse` itself (ADR 36).
    for (let n = 1; n <= 10; n += 1) {
      const lead = (name: string) => ({
        phone_number: phoneNumber(n),
        variables: { [`width ${n}`]: 1, [name]: 2 },
      });
      await post(strangers, theirs, lead('24\\"'));
      const created = await post(api, campaign, lead('24"x'));
      const list = await api.get('/api/user/leads?per_page=1');
      const log = await api.get('/api/user/events?types=LeadCreated&limit=500');
      for (const { text } of [created, list, log]) expect(text).toContain('"24\\"x":2');
      expect(log.text.split('"24\\"x":2')).toHaveLength(n + 1);
    }
  });

  test('is changed only where something was sent; variables are replaced', async () => {
    const [api, other, campaign] = await prepare();
    const lead = dataOf<Lead>(await post(api, campaign, { variables: { a: 1, b: 2 } }));
    const moved = await api.put(`/api/user/leads/${lead.id}`, { phone_number: phoneNumber(5) });
    updateLead.success.schema.parse(moved.body);
    expect(moved.body).toMatchObject({
      message: 'Lead updated successfully',
      data: { phone_number: phoneNumber(5), variables: { a: 1, b: 2 } },
    });
    const replaced = await other.put(`/api/user/leads/${lead.id}`, { variables: { c: 3 } });
    expect(dataOf(replaced)).toMatchObject({ phone_number: phoneNumber(5), variables: { c: 3 } });
    expect((await listOf(api, '/api/user/leads')).data).toEqual([dataOf(replaced)]);
    expect(errorsOf(await api.put(`/api/user/leads/${lead.id}`, { phone_number: '123' }))).toEqual({
      phone_number: [badNumber],
    });
  });

  test('is deleted, and its number may come back', async () => {
    const [api, , campaign] = await prepare();
    const lead = dataOf<Lead>(await post(api, campaign));
    const gone = await api.delete(`/api/user/leads/${lead.id}`);
    expect([gone.status, gone.body]).toEqual([200, { message: 'Lead deleted successfully' }]);
    for (const answer of [
      await api.delete(`/api/user/leads/${lead.id}`),
      await api.put(`/api/user/leads/${lead.id}`, {}),
    ])
      expect([answer.status, answer.body]).toEqual([404, { message: 'Lead not found' }]);
    expect((await post(api, campaign)).status).toBe(200);
    expect((await listOf<Campaign>(api, '/api/user/campaigns')).data[0]?.leads_count).toBe(1);
  });

  test('belongs to an own campaign', async () => {
    const [api, , campaign] = await prepare();
    const [stranger] = accountApis(await freshAccount());
    const foreign = await post(stranger, campaign);
    expect([foreign.status, foreign.body]).toEqual([404, { message: 'Campaign not found' }]);
    expect((await post(api, { ...campaign, id: 999_999_999 })).text).toBe(foreign.text);
    expect((await listOf(stranger, `/api/user/leads?campaign_id=${campaign.id}`)).total).toBe(0);
  });
});

describe('a number is in a campaign once', () => {
  const taken = { phone_number: ['The phone number is already in the campaign.'] };

  test('unless duplicates are allowed', async () => {
    const [api, other, campaign] = await prepare();
    await post(api, campaign);
    for (const lead of [{}, { allow_dupplicate: false }, { allow_dupplicate: null }]) {
      const answer = await post(other, campaign, lead);
      expect([answer.status, errorsOf(answer)]).toEqual([422, taken]);
    }
    expect((await post(api, campaign, { allow_dupplicate: true })).status).toBe(200);
    expect((await listOf(api, '/api/user/leads')).total).toBe(2);
    expect(errorsOf(await post(api, campaign, { allow_dupplicate: 'yes' }))).toHaveProperty(
      'allow_dupplicate',
    );
  });

  test('however many are created at the same time, through both gateways', async () => {
    const [api, other, campaign] = await prepare();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        post(n % 2 ? api : other, campaign, {}, { 'idempotency-key': `request ${n}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect([answer.status, errorsOf(answer)]).toEqual([422, taken]);
  });

  test('by its update as well', async () => {
    const [api, , campaign] = await prepare();
    await post(api, campaign);
    const second = dataOf<Lead>(await post(api, campaign, { phone_number: phoneNumber(2) }));
    const answer = await api.put(`/api/user/leads/${second.id}`, { phone_number: phoneNumber(1) });
    expect([answer.status, errorsOf(answer)]).toEqual([422, taken]);
  });
});

describe('numbers are in E.164', () => {
  test.each([
    '',
    '123',
    '14155552671',
    '+1 415 555 2671',
    '+0123456789',
    '+999123456789',
    '+1415555267a',
    '+',
    'tel:+14155552671',
    '+14155552671\u0000',
    '＋14155552671',
    '+1415555267111111111',
  ])('%j is refused', async (phone_number) => {
    const [api, , campaign] = await prepare();
    const answer = await post(api, campaign, { phone_number });
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([422, ['phone_number']]);
  });

  test('the message says so, for each contact by its place', async () => {
    const [api, , campaign] = await prepare('call');
    const contacts = [{ phone_number: phoneNumber(2) }, { phone_number: '0123' }, { phone_number: '+1' }];
    expect(errorsOf(await post(api, campaign, { phone_number: '12', secondary_contacts: contacts }))).toEqual(
      {
        phone_number: [badNumber],
        'secondary_contacts.1.phone_number': [badNumber],
        'secondary_contacts.2.phone_number': [badNumber],
      },
    );
  });
});

describe('secondary contacts', () => {
  test.each(['chatapp', 'sms'] as const)('are refused in a %s campaign', async (channel) => {
    const [api, , campaign] = await prepare(channel);
    const contacts = [{ phone_number: phoneNumber(2) }];
    const answer = await post(api, campaign, { secondary_contacts: contacts });
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([422, ['secondary_contacts']]);
    expect((await post(api, campaign, { secondary_contacts: [] })).status).toBe(200);
  });

  test('are 1,000 at most', async () => {
    const [api, , campaign] = await prepare('call');
    const contacts = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ phone_number: phoneNumber(100 + n) }));
    const answer = await post(api, campaign, { secondary_contacts: contacts(1001) });
    expect([answer.status, Object.keys(errorsOf(answer))]).toEqual([422, ['secondary_contacts']]);
    const full = dataOf<Lead>(await post(api, campaign, { secondary_contacts: contacts(1000) }));
    expect(new Set(full.secondary_contacts.map(({ id }) => id)).size).toBe(1000);
  });
});

test('fields that nobody asked for change nothing', async () => {
  const [api, , campaign] = await prepare();
  const extra = {
    id: 7,
    user_id: 1,
    status: 'completed',
    created_at: 'x',
    attempts: 9,
    imported: { row: 1 },
  };
  const lead = dataOf<Lead>(await post(api, campaign, extra));
  expect(lead).toMatchObject({ status: 'created', created_at: timestamp });
  expect(lead.id).not.toBe(7);
  const updated = dataOf<Lead>(await api.put(`/api/user/leads/${lead.id}`, { ...extra, campaign_id: 1 }));
  expect(updated).toMatchObject({ id: lead.id, campaign_id: campaign.id, status: 'created' });
});

test('leads are listed newest first, in pages, by campaign and by status', async () => {
  const [api, , first] = await prepare();
  const second = await makeCampaign(api);
  for (let n = 0; n < 5; n += 1)
    await post(api, n % 2 ? second : first, { phone_number: phoneNumber(n), variables: { n } });
  const numbers = async (query: string) => {
    const { data, total } = await listOf(api, `/api/user/leads?${query}`);
    return [data.map(({ variables }) => variables.n), total];
  };
  expect(await numbers('')).toEqual([[4, 3, 2, 1, 0], 5]);
  expect(await numbers('per_page=2&page=2')).toEqual([[2, 1], 5]);
  expect(await numbers(`campaign_id=${second.id}`)).toEqual([[3, 1], 2]);
  expect(await numbers('status=created&per_page=1')).toEqual([[4], 5]);
  expect(await numbers(`status=completed&campaign_id=${first.id}`)).toEqual([[], 0]);
  expect(await numbers(`status=created&campaign_id=${first.id}&per_page=1&page=9`)).toEqual([[], 3]);
  for (const query of ['status=new', 'campaign_id=x', 'campaign_id=0', 'page=0', 'per_page=101'])
    expect((await api.get(`/api/user/leads?${query}`)).status).toBe(422);
});
