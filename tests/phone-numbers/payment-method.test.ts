import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { setCard } from '../support/telephony.ts';

let api: Api;
let other: Api;
beforeEach(async () => {
  [api, other] = accountApis(await freshAccount());
});

const path = '/api/user/payment-method';
const visa = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: expect.any(Number) };
const mastercard = { ...visa, brand: 'mastercard', last4: '4444' };
const onFile = async () => Object((await other.get(path)).body).data;

describe('a payment method', () => {
  test('is put on file, replaced and taken off, as every gateway shows', async () => {
    expect(await onFile()).toBeNull();
    const set = await setCard(api);
    expect([set.status, set.body]).toEqual([
      200,
      { message: 'Payment method updated successfully', data: visa },
    ]);
    expect(await onFile()).toEqual(visa);
    expect((await setCard(api, 'pm_card_mastercard')).status).toBe(200);
    expect(await onFile()).toEqual(mastercard);
    const removed = await api.delete(path);
    expect([removed.status, removed.body]).toEqual([200, { message: 'Payment method removed successfully' }]);
    expect(await onFile()).toBeNull();
    const again = await api.delete(path);
    expect([again.status, again.body]).toEqual([404, { message: 'There is no payment method on file.' }]);
  });

  test('is put on file once by one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await api.put(path, { token: 'pm_card_visa' }, headers);
    const second = await other.put(path, { token: 'pm_card_visa' }, headers);
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  test('changes and goes only at the version that If-Match names, of which the provider hears nothing', async () => {
    const etag = String((await setCard(api)).headers.etag);
    expect((await setCard(api, 'pm_card_mastercard')).headers.etag).not.toBe(etag);
    for (const refused of [
      // What only the provider knows to be no token.
      await api.put(path, { token: 'pm_card_nobody_knows' }, { 'if-match': etag }),
      await api.delete(path, { 'if-match': etag }),
    ])
      expect([refused.status, refused.body]).toEqual([
        412,
        { message: 'The resource was changed since the given version.' },
      ]);
    expect(await onFile()).toEqual(mastercard);
    const current = String((await api.get(path)).headers.etag);
    const put = await api.put(path, { token: 'pm_card_visa' }, { 'if-match': current });
    expect(put.status).toBe(200);
    expect((await api.delete(path, { 'if-match': String(put.headers.etag) })).status).toBe(200);
  });

  test('says its version also as it was at a moment', async () => {
    const at = async (position: unknown) => {
      const { body, headers } = await api.get(`${path}?as_of=${position}`);
      return { body, etag: headers.etag };
    };
    const never = await api.get(path);
    expect(await at('0')).toEqual({ body: { data: null }, etag: never.headers.etag });
    const first = await setCard(api);
    const second = await setCard(api, 'pm_card_mastercard');
    const removed = await api.delete(path);
    for (const [{ headers }, data] of [
      [first, visa],
      [second, mastercard],
      [removed, null],
    ] as const)
      expect(await at(headers['x-event-position'])).toEqual({ body: { data }, etag: headers.etag });
  });

  test.each([{}, { token: '' }, { token: 7 }, { token: '..' }, { token: 'pm_card_nobody_knows' }])(
    '%j is refused by its token, and what was there stays',
    async (body) => {
      await setCard(api);
      const { status, body: answer } = await api.put(path, body);
      expect([status, Object.keys(Object(answer).errors)]).toEqual([422, ['token']]);
      expect(await onFile()).toEqual(visa);
    },
  );
});
