import { listBalanceTransactions, listCampaigns } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { fund } from '../support/calls.ts';
import type { Campaign } from '../support/campaigns.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { dataOfEvents, leadsByStatus, smsTo, startSmsCampaign } from '../support/sms.ts';
import { ownNumber } from '../support/telephony.ts';

const moneyOf = async (api: Api) => (await api.get('/api/user/me')).body;
/** Of the account's one campaign. */
async function heldUp(api: Api) {
  const { body } = await api.get('/api/user/campaigns');
  return listCampaigns.success.schema.parse(body).data[0]?.held_up;
}

/** An account that can send SMS. */
async function sendingAccount(): Promise<{ readonly api: Api; readonly phone: string }> {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const { phone_number: phone } = await ownNumber(api);
  return { api, phone };
}

interface SentSms {
  readonly api: Api;
  readonly campaign: Campaign;
  readonly sid: string;
  readonly statusUrl: string;
}

async function sentSms(): Promise<SentSms> {
  const { api } = await sendingAccount();
  const phone = freshCustomerNumber();
  const campaign = await startSmsCampaign(api, 'Hello', [{ phone, name: 'Ada' }]);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 1 }));
  const [sent] = await dataOfEvents(api, 'SmsSent');
  const [asked] = await smsTo([phone]);
  return { api, campaign, sid: String(sent?.carrier_sid), statusUrl: asked?.statusUrl ?? '' };
}

test('a running SMS campaign sends its text, filled in, to every lead once and is charged for each', async () => {
  const { api, phone: from } = await sendingAccount();
  const leads = ['Ada', 'Zoë 🌱', 'Eve & Bob = 100%'].map((name) => ({ phone: freshCustomerNumber(), name }));
  const campaign = await startSmsCampaign(api, 'Hello {{name}}{{nothing}}!', leads);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 3 }));
  const sent = await smsTo(leads.map(({ phone }) => phone));
  const byNumber = (a: { to: string }, b: { to: string }) => a.to.localeCompare(b.to);
  expect(sent.map(({ to, body }) => ({ to, body, from })).toSorted(byNumber)).toEqual(
    leads.map(({ phone: to, name }) => ({ to, body: `Hello ${name}!`, from })).toSorted(byNumber),
  );
  await eventually(async () =>
    expect(await moneyOf(api)).toMatchObject({ total_balance: '9.85', reserved_balance: '0.00' }),
  );
  const references = (await dataOfEvents(api, 'LeadAttemptStarted')).map(({ reference }) => reference);
  const ids = (await dataOfEvents(api, 'SmsSendStarted')).map(({ sms_id }) => String(sms_id));
  expect(references.toSorted()).toEqual(ids.toSorted());
});

test('what the carrier reports moves an SMS forward only; one that fails is paid back by one line', async () => {
  const [arrives, fails] = [await sentSms(), await sentSms()];
  for (const { api } of [arrives, fails])
    await eventually(async () => expect(await moneyOf(api)).toMatchObject({ total_balance: '9.95' }));
  const report = ({ sid }: typeof fails, status: string) =>
    control('sms/status', { message_sid: sid, status });
  for (const status of ['delivered', 'sent', 'undelivered']) await report(arrives, status);
  for (const status of ['undelivered', 'failed', 'sent']) await report(fails, status);
  await eventually(async () =>
    expect(await moneyOf(fails.api)).toMatchObject({ total_balance: '10.00', reserved_balance: '0.00' }),
  );
  const { body } = await fails.api.get('/api/user/balance/transactions');
  const { data } = listBalanceTransactions.success.schema.parse(body);
  expect(data.slice(0, 2).map(({ type, amount }) => [type, amount])).toEqual([
    ['refund', '0.05'],
    ['charge', '-0.05'],
  ]);
  expect(await dataOfEvents(fails.api, 'SmsUndeliverable')).toMatchObject([{ code: '30003' }]);
  await eventually(async () => expect(await dataOfEvents(arrives.api, 'SmsDelivered')).toHaveLength(1));
  expect(await dataOfEvents(arrives.api, 'SmsUndeliverable')).toEqual([]);
  expect(await moneyOf(arrives.api)).toMatchObject({ total_balance: '9.95' });
});

test('an SMS that its carrier sends in several segments is paid by them, and paid back as a whole', async () => {
  const { api } = await sendingAccount();
  const long = { phone: freshCustomerNumber(), name: 'ê'.repeat(100) };
  const short = { phone: freshCustomerNumber(), name: 'e'.repeat(100) };
  const campaign = await startSmsCampaign(api, 'Hello {{name}}', [short, long]);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 2 }));
  const lines = async () => {
    const { body } = await api.get('/api/user/balance/transactions');
    const { data } = listBalanceTransactions.success.schema.parse(body);
    return data.map(({ description, amount }) => [description, amount]);
  };
  await eventually(async () =>
    expect((await lines()).slice(0, 2)).toEqual([
      [`SMS to ${long.phone} (2 segments)`, '-0.10'],
      [`SMS to ${short.phone}`, '-0.05'],
    ]),
  );
  const [, second] = await dataOfEvents(api, 'SmsSent');
  await control('sms/status', { message_sid: second?.carrier_sid, status: 'undelivered' });
  await eventually(async () =>
    expect(await moneyOf(api)).toMatchObject({ total_balance: '9.95', reserved_balance: '0.00' }),
  );
});

test('an SMS that its carrier kept beyond the campaign’s hours is paid back, and its lead written to in the next ones', async () => {
  const { api, campaign, sid } = await sentSms();
  await control('sms/status', { message_sid: sid, status: 'undelivered', error_code: '30036' });
  await eventually(async () =>
    expect(await dataOfEvents(api, 'SmsUndeliverable')).toMatchObject([{ code: '30036' }]),
  );
  await eventually(async () => expect(await moneyOf(api)).toMatchObject({ total_balance: '10.00' }));
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ queued: 1 }));
  const reason = 'The carrier did not send the SMS: its time was over before its turn came.';
  await eventually(async () => expect(await heldUp(api)).toMatchObject({ reason }));
});

test('a report that the carrier has not signed is 401 and changes nothing; of another carrier 404', async () => {
  const { api, sid, statusUrl } = await sentSms();
  const { pathname, search } = new URL(statusUrl);
  const raw = new URLSearchParams({ MessageSid: sid, MessageStatus: 'failed' }).toString();
  const post = (path: string, signature: string) =>
    comingBack(createApi(gatewayUrls()[0] ?? '')).call('POST', path, {
      raw,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': signature,
      },
    });
  for (const signature of ['', 'nonsense', 'c2lnbmF0dXJl']) {
    const { status, body } = await post(pathname + search, signature);
    expect([status, body]).toEqual([401, { error: 'Unauthorized' }]);
  }
  expect((await post(`/hooks/sms/nobody${search}`, '')).status).toBe(404);
  expect(await dataOfEvents(api, 'SmsUndeliverable')).toEqual([]);
});

test('without a number that can send, or the money, the campaign waits and says why; nothing is sent', async () => {
  const [penniless] = accountApis(await freshAccount());
  await ownNumber(penniless);
  const [numberless] = accountApis(await freshAccount());
  await fund(numberless);
  for (const [api, reason] of [
    [penniless, 'The account balance is too low.'],
    [numberless, 'The account has no phone number that can send SMS.'],
  ] as const) {
    const phone = freshCustomerNumber();
    const campaign = await startSmsCampaign(api, 'Hello', [{ phone, name: 'Ada' }]);
    await eventually(async () => expect(await heldUp(api)).toMatchObject({ reason }));
    expect(await leadsByStatus(api, campaign)).toEqual({ queued: 1 });
    expect(await smsTo([phone])).toEqual([]);
    expect(await moneyOf(api)).toMatchObject({ reserved_balance: '0.00' });
  }
});

test('a campaign that waits for money goes on at once when its account is topped up', async () => {
  const [api] = accountApis(await freshAccount());
  await ownNumber(api);
  const campaign = await startSmsCampaign(api, 'Hello', [{ phone: freshCustomerNumber(), name: 'Ada' }]);
  await eventually(async () => expect(await heldUp(api)).not.toBeNull());
  await fund(api);
  await eventually(async () => expect(await leadsByStatus(api, campaign)).toEqual({ completed: 1 }));
  expect(await heldUp(api)).toBeNull();
});
