import { eventually } from '@parley/testing';
import twilioSdk from 'twilio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { magicNumbers } from './stock.ts';

const token = sandboxDefaults.TWILIO_AUTH_TOKEN.reveal();
const from = magicNumbers.available;
const to = '+491701234567';

let sandbox: TestSandbox;
let client: ReturnType<typeof twilioSdk>;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  client = twilioSdk(sandboxDefaults.TWILIO_ACCOUNT_SID, token);
  client.api.baseUrl = sandbox.url;
  await client.incomingPhoneNumbers.create({ phoneNumber: from });
});
afterAll(() => sandbox.close());

const statusUrl = (reference: string) =>
  `${sandbox.gatewayUrl}/hooks/sms/twilio?reference=${reference}&note=%27a%27`;

/** What was told of an SMS, as far as the official SDK finds it signed. */
const told = (reference: string): readonly Record<string, string>[] =>
  sandbox.received.flatMap(({ path, headers, body }) => {
    const url = sandbox.gatewayUrl + path;
    const posted = Object.fromEntries(new URLSearchParams(body));
    const signature = String(headers['x-twilio-signature']);
    const isSigned = twilioSdk.validateRequest(token, signature, url, posted);
    return url === statusUrl(reference) && isSigned ? [posted] : [];
  });

describe('the official SDK', () => {
  test('sends an SMS, and is told under the URL it gave what becomes of it', async () => {
    const body = 'Hello Zoë 🌱 & =';
    // How it is to be told is no part of the URL that is called and signed.
    const statusCallback = `${statusUrl('sms-1')}#rc=5&rp=5xx`;
    const sms = await client.messages.create({ from, to, body, statusCallback });
    expect(sms).toMatchObject({ from, to, body, status: 'queued', sid: expect.stringMatching(/^SM/) });
    expect(sms.dateCreated).toBeInstanceOf(Date);
    for (const status of ['delivered', 'undelivered'])
      expect((await sandbox.control('sms/status', { message_sid: sms.sid, status })).status).toBe(200);
    await eventually(() =>
      expect(told('sms-1')).toEqual([
        expect.objectContaining({ MessageSid: sms.sid, MessageStatus: 'sent', From: from, To: to }),
        expect.objectContaining({ MessageSid: sms.sid, MessageStatus: 'delivered' }),
        expect.objectContaining({ MessageSid: sms.sid, MessageStatus: 'undelivered', ErrorCode: '30003' }),
      ]),
    );
    const { body: log } = await sandbox.read('/control/requests?provider=carrier');
    expect(JSON.parse(JSON.stringify(log)).data).toContainEqual(
      expect.objectContaining({ operation: 'send_sms', idempotency_key: statusCallback, status: 201 }),
    );
  });

  test.each([
    ['to no number', { to: '123' }, 21211],
    ['to the invalid number', { to: magicNumbers.invalid }, 21211],
    ['from a number that nobody bought', { from: '+14155552671' }, 21606],
    ['without a text', { body: '' }, 21602],
    ['with a text of 1,601 characters', { body: 'x'.repeat(1_601) }, 21617],
    ['with a URL to tell that is none', { statusCallback: 'nowhere' }, 21609],
  ])('sends nothing %s', async (_, change, code) => {
    await expect(client.messages.create({ from, to, body: 'Hello', ...change })).rejects.toMatchObject({
      status: 400,
      code,
    });
  });

  test('sends nothing from a number that only speaks', async () => {
    const [offer] = await client.availablePhoneNumbers('GB').local.list({ limit: 1 });
    const phoneNumber = offer?.phoneNumber ?? '';
    await client.incomingPhoneNumbers.create({ phoneNumber });
    await expect(client.messages.create({ from: phoneNumber, to, body: 'Hello' })).rejects.toMatchObject({
      code: 21606,
    });
  });
});

test('an SMS that nobody took has no status', async () => {
  const { status } = await sandbox.control('sms/status', { message_sid: 'SM1', status: 'sent' });
  expect(status).toBe(404);
});

test('whose sender is given no answer, that SMS was taken all the same', async () => {
  const fault = { provider: 'carrier', operation: 'send_sms', mode: 'reset', takes_effect: true };
  await sandbox.control('faults', fault);
  await expect(
    client.messages.create({ from, to, body: 'Hello', statusCallback: statusUrl('sms-2') }),
  ).rejects.toBeDefined();
  await eventually(() => expect(told('sms-2')).toMatchObject([{ MessageStatus: 'sent' }]));
});
