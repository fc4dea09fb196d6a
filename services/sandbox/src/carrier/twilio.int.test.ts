import twilioSdk from 'twilio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';
import { magicNumbers } from './stock.ts';

let sandbox: TestSandbox;
let client: ReturnType<typeof connect>;

function connect(token = sandboxDefaults.TWILIO_AUTH_TOKEN.reveal()) {
  const sdk = twilioSdk(sandboxDefaults.TWILIO_ACCOUNT_SID, token);
  sdk.api.baseUrl = sandbox.url;
  return sdk;
}

beforeAll(async () => {
  sandbox = await startTestSandbox();
  client = connect();
});
afterAll(() => sandbox.close());

const buy = (phoneNumber: string, friendlyName = 'a purchase') =>
  client.incomingPhoneNumbers.create({ phoneNumber, friendlyName });

/** Numbers nobody else in this file buys. */
const offer = async (contains: string): Promise<string> => {
  const [first] = await client.availablePhoneNumbers('US').local.list({ contains, limit: 1 });
  return first?.phoneNumber ?? '';
};

describe('the official SDK', () => {
  test('searches by country, kind and digits', async () => {
    const local = await client.availablePhoneNumbers('US').local.list({ contains: '415', limit: 5 });
    expect(local).toHaveLength(5);
    expect(local[0]).toMatchObject({
      phoneNumber: expect.stringContaining('415'),
      isoCountry: 'US',
      addressRequirements: 'none',
      capabilities: { voice: true, sms: true },
    });
    expect(await client.availablePhoneNumbers('DE').mobile.list({ limit: 3 })).toHaveLength(3);
    expect(await client.availablePhoneNumbers('GB').tollFree.list({ limit: 3 })).toHaveLength(3);
    expect(await client.availablePhoneNumbers('US').local.list({ contains: '4155552671' })).toEqual([]);
    await expect(client.availablePhoneNumbers('XX').local.list()).rejects.toMatchObject({ status: 404 });
  });

  test('buys, finds, changes and releases a number', async () => {
    const phoneNumber = await offer('212');
    const bought = await buy(phoneNumber, 'purchase-7');
    expect(bought).toMatchObject({ phoneNumber, friendlyName: 'purchase-7', status: 'in-use' });
    expect(bought.dateCreated).toBeInstanceOf(Date);
    const [found] = await client.incomingPhoneNumbers.list({ phoneNumber });
    expect(found?.sid).toBe(bought.sid);
    expect(await client.incomingPhoneNumbers.list({ friendlyName: 'purchase-7' })).toHaveLength(1);
    await client.incomingPhoneNumbers(bought.sid).update({ voiceUrl: 'https://example.com/voice' });
    expect((await client.incomingPhoneNumbers(bought.sid).fetch()).voiceUrl).toBe(
      'https://example.com/voice',
    );
    expect(await offer(phoneNumber.slice(2))).toBe('');
    expect(await client.incomingPhoneNumbers(bought.sid).remove()).toBe(true);
    await expect(client.incomingPhoneNumbers(bought.sid).remove()).rejects.toMatchObject({ status: 404 });
    expect(await offer(phoneNumber.slice(2))).toBe(phoneNumber);
    const { body } = await sandbox.read('/control/requests?provider=carrier');
    expect(JSON.parse(JSON.stringify(body)).data).toContainEqual(
      expect.objectContaining({ operation: 'provision', idempotency_key: 'purchase-7', status: 201 }),
    );
  });

  test('lists what it owns page by page', async () => {
    for (const contains of ['301', '302', '303']) await buy(await offer(contains), 'paged');
    const owned = await client.incomingPhoneNumbers.list({ friendlyName: 'paged', pageSize: 2 });
    expect(owned).toHaveLength(3);
  });

  test.each([
    ['a number that is gone', magicNumbers.unavailable, 21422],
    ['a number that is offered and snatched away', magicNumbers.snatched, 21422],
    ['an invalid number', magicNumbers.invalid, 21421],
    ['a number that wants an address', magicNumbers.addressed, 21631],
    ['a number that wants a bundle', magicNumbers.bundled, 21649],
    ['a number nobody offered', '+14155552671', 21422],
  ])('does not get %s', async (_, phoneNumber, code) => {
    await expect(buy(phoneNumber)).rejects.toMatchObject({ status: 400, code });
  });

  test.each(['', '7', '1'.repeat(17)])(
    'is refused a search for numbers that contain %j',
    async (contains) => {
      const refused = { status: 400, code: 20001 };
      await expect(client.availablePhoneNumbers('US').local.list({ contains })).rejects.toMatchObject(
        refused,
      );
    },
  );

  test('is told which numbers want an address, buys them with one, and may leave them out', async () => {
    const phoneNumber = magicNumbers.addressed;
    const { local } = client.availablePhoneNumbers('US');
    const contains = phoneNumber.slice(2);
    expect(await local.list({ contains })).toMatchObject([{ phoneNumber, addressRequirements: 'any' }]);
    expect(await local.list({ contains, excludeAllAddressRequired: true })).toEqual([]);
    const bought = await client.incomingPhoneNumbers.create({
      phoneNumber,
      addressSid: `AD${'1'.repeat(32)}`,
    });
    expect(bought).toMatchObject({ phoneNumber, addressRequirements: 'any' });
  });

  test('does not get a number that wants an address for a bundle', async () => {
    const bought = client.incomingPhoneNumbers.create({
      phoneNumber: magicNumbers.addressed,
      bundleSid: `BU${'1'.repeat(32)}`,
    });
    await expect(bought).rejects.toMatchObject({ status: 400, code: 21631 });
  });

  test('buys a number that wants a bundle with one, which is told of it from then on', async () => {
    const bundleSid = `BU${'1'.repeat(32)}`;
    const { sid } = await client.incomingPhoneNumbers.create({
      phoneNumber: magicNumbers.bundled,
      bundleSid,
    });
    expect(await client.incomingPhoneNumbers(sid).fetch()).toMatchObject({ bundleSid, addressSid: null });
  });

  test('is refused with a wrong token', async () => {
    await expect(connect('wrong').incomingPhoneNumbers.list()).rejects.toMatchObject({ status: 401 });
  });

  test('meets the faults that were ordered', async () => {
    await sandbox.control('faults', {
      provider: 'carrier',
      operation: 'provision',
      mode: 'reject',
      times: 1,
    });
    await expect(buy(magicNumbers.available)).rejects.toMatchObject({ status: 400, code: 20001 });
    await sandbox.control('faults', { provider: 'carrier', operation: 'provision', mode: 'error', times: 1 });
    await expect(buy(magicNumbers.available)).rejects.toMatchObject({ status: 500 });
    expect((await buy(magicNumbers.available)).phoneNumber).toBe(magicNumbers.available);
  });
});

test('of many buyers of one number one gets it', async () => {
  const phoneNumber = await offer('646');
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => buy(phoneNumber)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});
