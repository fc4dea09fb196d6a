import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { dataOf, type Lead, listOf, makeCampaign, phoneNumber, settingsOf } from '../support/campaigns.ts';

const prepare = async () => {
  const [api, other] = accountApis(await freshAccount());
  return { api, other, campaign: await makeCampaign(api, await settingsOf.sms(api)) };
};

describe('variables of a lead', () => {
  const astral = '\u{1F4DE}';
  const values: readonly unknown[] = [
    'a\u202Eb',
    'a\u200Db',
    astral.repeat(300),
    '',
    "' OR 1=1 --",
    '{{1}} $1 *.>',
    '"\\\n\r\t\u0001',
    2 ** 31,
    2 ** 53,
    -1,
    0.1,
    1e20,
    -1e-6,
    true,
    null,
    [],
    {},
    { constructor: { prototype: 1 }, toString: [null] },
  ];

  test('of any kind and name come back as they were, in the answer and in the list', async () => {
    const { api, other, campaign } = await prepare();
    const variables = Object.fromEntries([
      ...values.map((value, n) => [`v${n}`, value] as const),
      ['constructor', 1],
      ['toString', 'x'],
      [astral, 2],
    ]);
    const lead = dataOf<Lead>(
      await api.post('/api/user/lead', {
        campaign_id: campaign.id,
        phone_number: phoneNumber(1),
        variables,
      }),
    );
    expect(lead.variables).toEqual(variables);
    expect((await listOf(other, '/api/user/leads')).data[0]?.variables).toEqual(variables);
    const updated = dataOf<Lead>(
      await api.put(`/api/user/leads/${lead.id}`, { variables: { x: variables } }),
    );
    expect(updated.variables).toEqual({ x: variables });
  });

  test.each<[string, string]>([
    ['a prototype key', '{"__proto__":{"polluted":1}}'],
    ['a prototype key further down', '{"a":{"__proto__":{"polluted":1}}}'],
    ['a NUL', '{"a":"x\\u0000"}'],
    ['a NUL in a name', '{"x\\u0000":1}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a name twice', '{"a":1,"a":2}'],
    ['an empty name', '{"":1}'],
    ['a name of 256 characters', `{"${'x'.repeat(256)}":1}`],
    ['a list', '[]'],
    ['a text', '"x"'],
    ['a number beyond all', '{"a":1e999}'],
    ['a number that would lose digits', '{"a":12345678901234567890}'],
    ['a number that Postgres writes out', '{"a":[1e308]}'],
    ['a number with many zeros before it', '{"a":1e-7}'],
    ['40 levels', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('with %s are refused', async (_, variables) => {
    const { api, campaign } = await prepare();
    const raw = `{"campaign_id":${campaign.id},"phone_number":"${phoneNumber(1)}","variables":${variables}}`;
    const answer = await api.call('POST', '/api/user/lead', { raw });
    expect([answer.status, answer.body]).toEqual([
      422,
      { message: 'The given data was invalid.', errors: expect.any(Object) },
    ]);
    expect((await listOf(api, '/api/user/leads')).total).toBe(0);
  });
});
