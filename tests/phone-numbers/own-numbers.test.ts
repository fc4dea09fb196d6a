import { listAssignablePhoneNumbers, searchPhoneNumbers } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, type TestAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { ownSipTrunk, platformTrunks } from '../support/sip-trunks.ts';
import {
  buy,
  carrierNumbersOf,
  ownNumber,
  recordedNumbers,
  setCard,
  subscriptionsOf,
} from '../support/telephony.ts';

let account: TestAccount;
let api: Api;
let other: Api;
beforeEach(async () => {
  account = await freshAccount();
  [api, other] = accountApis(account);
});

const assignable = async (type?: string) =>
  listAssignablePhoneNumbers.success.schema.parse(
    (await other.get(`/api/user/assistants/phone-numbers${type ? `?type=${type}` : ''}`)).body,
  );
const numberOf = async (assistantId: number): Promise<unknown> =>
  Object((await other.get(`/api/user/assistant/${assistantId}`)).body).data.phone_number_id;

describe('a search', () => {
  const search = (query: string) => api.get(`/api/user/phone-numbers/search?${query}`);

  test('finds numbers of a country with their price, by type and count', async () => {
    const { status, body } = await search('country_code=GB&type=mobile&limit=3');
    expect(status).toBe(200);
    const { data } = searchPhoneNumbers.success.schema.parse(body);
    expect(data).toHaveLength(3);
    for (const number of data)
      expect(number).toMatchObject({
        phone_number: expect.stringMatching(/^\+447\d{9}$/),
        phone_number_formatted: expect.stringMatching(/^\+44 7\d{3} \d{6}$/),
        country_code: 'GB',
        type: 'mobile',
        price: '2.25',
        currency: 'USD',
        sms_capable: true,
        voice_capable: true,
        address_requirements: 'none',
      });
  });

  test.each(['7', '41', '4155'])('finds numbers that contain %s', async (digits) => {
    const { body } = await search(`country_code=US&contains=${digits}&limit=5`);
    const { data } = searchPhoneNumbers.success.schema.parse(body);
    expect(data).toHaveLength(5);
    for (const { phone_number } of data) expect(phone_number).toContain(digits);
  });

  test('that finds nothing is an empty list, and what somebody has bought is not found', async () => {
    expect((await search('country_code=AQ')).body).toEqual({ data: [] });
    const { phone_number } = await ownNumber(api);
    expect((await search(`country_code=US&contains=${phone_number.slice(2)}`)).body).toEqual({ data: [] });
  });

  test('finds no number that cannot be bought without an address', async () => {
    expect((await search('country_code=US&contains=5005550008')).body).toEqual({ data: [] });
  });

  test.each([
    ['', 'country_code'],
    ['country_code=XX', 'country_code'],
    ['country_code=usa', 'country_code'],
    ['country_code=US&contains=41x', 'contains'],
    ['country_code=US&contains=12345678901', 'contains'],
    ['country_code=US&type=satellite', 'type'],
    ['country_code=US&limit=0', 'limit'],
    ['country_code=US&limit=51', 'limit'],
  ])('with %j says what is wrong with %s', async (query, field) => {
    const { status, body } = await search(query);
    expect(status).toBe(422);
    expect(Object.keys(Object(body).errors)).toEqual([field]);
  });
});

describe('the numbers that assistants can be given', () => {
  test('are a top-level array of the account’s own, newest first', async () => {
    expect(await assignable()).toEqual([]);
    const first = await ownNumber(api);
    const second = await ownNumber(api);
    expect(await assignable()).toEqual(
      [second, first].map(({ id, phone_number }) => ({
        id,
        phone_number,
        country_code: 'US',
        type_label: 'Normal',
        is_available: true,
      })),
    );
    expect((await api.get('/api/user/assistants/phone-numbers?type=both')).status).toBe(422);
  });

  test('for inbound assistants leave out one that answers for another already', async () => {
    const free = await ownNumber(api);
    const taken = await ownNumber(api);
    const first = await createAssistant(api, { type: 'inbound', phone_number_id: taken.id });
    expect((await assignable('inbound')).map(({ id }) => id)).toEqual([free.id]);
    expect(await assignable('outbound')).toMatchObject([
      { id: taken.id, is_available: false },
      { id: free.id, is_available: true },
    ]);
    await api.put(`/api/user/assistant/${first}`, { phone_number_id: null });
    expect((await assignable('inbound')).map(({ id }) => id)).toEqual([taken.id, free.id]);
  });
});

test('a SIP trunk’s number is listed with the bought ones, and can be given to an assistant, until it is deleted', async () => {
  const bought = await ownNumber(api);
  const trunk = await ownSipTrunk(api);
  const sip = { id: trunk, type_label: 'SIP', is_available: true };
  expect(await assignable('inbound')).toMatchObject([sip, { id: bought.id, type_label: 'Normal' }]);
  expect((await other.get('/api/user/phone-numbers/all')).body).toMatchObject({
    data: [{ id: trunk, type_label: 'SIP', type: null, price: null }, { id: bought.id }],
  });
  const assistant = await createAssistant(api, { type: 'inbound', phone_number_id: trunk });
  expect((await assignable('inbound')).map(({ id }) => id)).toEqual([bought.id]);
  expect((await api.delete(`/api/user/phone-numbers/sip-trunks/${trunk}`)).status).toBe(200);
  expect(await numberOf(assistant)).toBeNull();
  expect((await assignable()).map(({ id }) => id)).toEqual([bought.id]);
});

test('a nickname is shown until it is taken away', async () => {
  const { id, phone_number } = await ownNumber(api);
  const path = `/api/user/phone-numbers/${id}`;
  const renamed = await api.put(path, { nickname: 'Łucja’s ☎️' });
  expect([renamed.status, renamed.body]).toMatchObject([
    200,
    { data: { id, phone_number, nickname: 'Łucja’s ☎️' } },
  ]);
  const list = async () => (await other.get('/api/user/phone-numbers/all')).body;
  expect(await list()).toMatchObject({ data: [{ nickname: 'Łucja’s ☎️' }] });
  expect((await api.put(path, { nickname: null })).status).toBe(200);
  expect(await list()).toMatchObject({ data: [{ nickname: null }] });
  for (const body of [{}, { nickname: '' }, { nickname: 5 }, { nickname: 'x'.repeat(256) }])
    expect((await api.put(path, body)).status).toBe(422);
});

describe('a release', () => {
  test('takes the number from lists and assistants at once, and from the providers', async () => {
    const { id, phone_number } = await ownNumber(api);
    const inbound = await createAssistant(api, { type: 'inbound', phone_number_id: id });
    const outbound = await createAssistant(api, { type: 'outbound', phone_number_id: id });
    const released = await api.delete(`/api/user/phone-numbers/${id}`);
    expect([released.status, released.body]).toEqual([
      200,
      { message: 'Phone number released successfully' },
    ]);
    expect((await other.get('/api/user/phone-numbers/all')).body).toEqual({ data: [] });
    expect(await assignable()).toEqual([]);
    expect([await numberOf(inbound), await numberOf(outbound)]).toEqual([null, null]);
    const again = await api.delete(`/api/user/phone-numbers/${id}`);
    expect([again.status, again.body]).toEqual([404, { message: 'Phone number not found.' }]);

    const [recorded] = await recordedNumbers(account.id);
    await eventually(async () => {
      expect(await subscriptionsOf(recorded?.customer_id ?? '')).toMatchObject([{ status: 'canceled' }]);
      expect(await carrierNumbersOf(recorded?.purchase_id ?? '')).toEqual([]);
      const { inbound } = await platformTrunks(sharedStack().sandboxUrl, { phone_number });
      expect(inbound).toEqual([]);
    });
    const [buyer] = accountApis(await freshAccount());
    await setCard(buyer);
    expect(
      await eventually(async () => {
        const { status } = await buy(buyer, phone_number);
        if (status === 400) throw new Error('It is still on its way back.');
        return status;
      }),
    ).toBe(201);
  });

  test('of a number leaves others alone, and an assistant cannot be given it', async () => {
    const kept = await ownNumber(api);
    const { id } = await ownNumber(api);
    const assistant = await createAssistant(api, { type: 'outbound', phone_number_id: kept.id });
    await api.delete(`/api/user/phone-numbers/${id}`);
    expect(await numberOf(assistant)).toBe(kept.id);
    const answer = await api.put(`/api/user/assistant/${assistant}`, { phone_number_id: id });
    expect([answer.status, Object.keys(Object(answer.body).errors)]).toEqual([422, ['phone_number_id']]);
  });
});
