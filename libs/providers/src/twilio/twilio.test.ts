import { text } from 'node:stream/consumers';
import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import type { NumberType } from '../by-number-kind.ts';
import { twilioConfig } from './config.ts';
import { createTwilioCarrier } from './twilio.ts';

const number = { phoneNumber: '+14155552671', country: 'US', type: 'local' } as const;

test.each([
  ['the trunk that takes its calls', 'TK0123456789abcdef0123456789abcdef'],
  ['no trunk where there is none', undefined],
])('a number is bought for %s', async (_, trunkSid) => {
  const asked: URLSearchParams[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    asked.push(new URLSearchParams(await text(request)));
    const bought = { sid: 'PN1', phone_number: '+14155552671' };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(bought));
  });
  const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token', trunkSid });
  expect(await carrier.provision(number, 'number-7')).toMatchObject({ kind: 'ok' });
  expect(asked.map((form) => form.get('TrunkSid'))).toEqual([trunkSid ?? null]);
});

test('the owner who is known for a country, or for a type there, is told where numbers of it are bought, and searched by the address', async () => {
  const asked: URLSearchParams[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    const isSearch = request.method === 'GET';
    asked.push(new URLSearchParams(isSearch ? request.url?.split('?')[1] : await text(request)));
    const answer = isSearch ? { available_phone_numbers: [] } : { sid: 'PN1', phone_number: '+4930123456' };
    response.writeHead(isSearch ? 200 : 201, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  const [bundle, mobileBundle, address] = [
    `BU${'1'.repeat(32)}`,
    `BU${'2'.repeat(32)}`,
    `AD${'3'.repeat(32)}`,
  ];
  const { TWILIO_NUMBER_OWNERS: owners } = twilioConfig.parse({
    TWILIO_NUMBER_OWNERS: `DE=${bundle}+${address}, DE mobile=${mobileBundle},GB toll_free=${address}`,
  });
  const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token', owners });
  const buy = (country: string, type: NumberType) =>
    carrier.provision({ phoneNumber: '+4930123456', country, type }, 'number-7');
  const kinds = [
    ['DE', 'local'],
    ['DE', 'mobile'],
    ['GB', 'toll_free'],
    ['GB', 'local'],
  ] as const;
  for (const [country, type] of kinds) {
    await carrier.search({ accountId: 3, country, type, contains: '', limit: 2 });
    await buy(country, type);
  }
  const told = asked.map((form) =>
    ['ExcludeAllAddressRequired', 'BundleSid', 'AddressSid'].flatMap((key) => form.get(key) ?? []),
  );
  expect(told).toEqual([
    ['false'],
    [bundle, address],
    ['true'],
    [mobileBundle],
    ['false'],
    [address],
    ['true'],
    [],
  ]);
});

const [someBundle, someAddress] = [`BU${'1'.repeat(32)}`, `AD${'1'.repeat(32)}`];

test.each([
  'DE',
  'DE=',
  'DE=BU1',
  `DE=${someAddress}+${someBundle}`,
  // As where one of two variables of a shell is not set.
  `DE=${someBundle}+`,
  `DE=+${someAddress}`,
  `DE=${someBundle}${someAddress}`,
  `UK=${someBundle}`,
])('the owner %s is refused, and what is wrong with it told', (TWILIO_NUMBER_OWNERS) => {
  const { error } = twilioConfig.safeParse({ TWILIO_NUMBER_OWNERS });
  expect(error?.issues).toMatchObject([
    { path: ['TWILIO_NUMBER_OWNERS'], message: expect.stringContaining('is not one owner such as') },
  ]);
});

test('a number that is for SMS alone, and one that is for calls alone, are told apart', async () => {
  const common = { iso_country: 'US', address_requirements: 'none', friendly_name: '', beta: false };
  const numbers = [
    { ...common, phone_number: '+14155552671', capabilities: { voice: false, SMS: true, MMS: true } },
    { ...common, phone_number: '+14155552672', capabilities: { voice: true, SMS: false, MMS: false } },
  ];
  const baseUrl = await startLocalServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ available_phone_numbers: numbers }));
  });
  const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
  expect(
    await carrier.search({ accountId: 3, country: 'US', type: 'local', contains: '', limit: 2 }),
  ).toMatchObject({
    value: [
      { smsCapable: true, voiceCapable: false },
      { smsCapable: false, voiceCapable: true },
    ],
  });
});

/** A Twilio that answers no search, and SMS from the numbers given only; what it was asked. */
async function slowTwilio(turnTimeoutMs: number, answeredFrom: string | null) {
  const asked: string[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    const from = new URLSearchParams(await text(request)).get('From');
    asked.push(from ?? 'search');
    if (from === null || from !== answeredFrom) return;
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ sid: 'SM1' }));
  });
  const options = { baseUrl, accountSid: 'AC1', authToken: 'token', timeoutMs: 1_000, turnTimeoutMs };
  const carrier = createTwilioCarrier(options);
  const sms = { to: '+491701234567', body: 'Hello', statusUrl: 'https://a.test', validForSeconds: null };
  return {
    asked,
    search: (accountId: number) =>
      carrier.search({ accountId, country: 'US', type: 'local', contains: '', limit: 2 }),
    send: (from: string) => carrier.sendSms({ ...sms, from }),
  };
}
const slow = '+14155552671';
const other = '+14155552672';

test('an SMS that waited for its turn and never left has certainly not been sent', async () => {
  const { asked, send } = await slowTwilio(100, null);
  const sent = await Promise.all(Array.from({ length: 50 }, (_, n) => send(`+1415555${2000 + n}`)));
  // As many as the SDK opens connections, less those for searches.
  expect(asked).toHaveLength(12);
  expect(sent.filter(({ kind }) => kind === 'unknown')).toHaveLength(12);
  expect(sent.filter(({ kind }) => kind === 'unavailable')).toHaveLength(38);
});

test('with the SMS of one number, and all searches, which are answered slowly, the SMS of others go out', async () => {
  const { asked, search, send } = await slowTwilio(1_000, other);
  const before = Array.from({ length: 50 }, (_, n) => [send(slow), search(n)]).flat();
  expect(await send(other)).toMatchObject({ kind: 'ok' });
  expect(asked.filter((what) => what === 'search')).toHaveLength(8);
  expect(asked.filter((what) => what === slow)).toHaveLength(6);
  await Promise.all(before);
});

test('with the searches of one account, which are answered slowly, others search', async () => {
  const { asked, search } = await slowTwilio(100, null);
  const before = Array.from({ length: 50 }, () => search(3));
  const [one] = await Promise.all([search(4), ...before]);
  // Half of the places were left for it: it was asked.
  expect(one).toMatchObject({ message: expect.stringContaining('timeout') });
  expect(asked).toHaveLength(5);
});

test.each([21422, 21613, 21615, 21631, 21649, 21650, 21651])(
  'a number whose sale is refused with %i is not available: others have it, or it wants an address that nobody gave',
  async (code) => {
    const baseUrl = await startLocalServer((_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 400, code, message: 'No.' }));
    });
    const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
    const refused = { kind: 'rejected', code: 'not_available' };
    expect(await carrier.provision(number, 'number-7')).toMatchObject(refused);
  },
);

test('a number that our trial account may not buy is available to others', async () => {
  const baseUrl = await startLocalServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 400, code: 21404, message: 'Trial accounts have one number.' }));
  });
  const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
  expect(await carrier.provision(number, 'number-7')).toMatchObject({ code: '21404' });
});

const sms = {
  from: '+14155552671',
  to: '+491701234567',
  body: 'Hello',
  statusUrl: 'https://example.com/',
  validForSeconds: null as number | null,
};

test.each([
  [null, null],
  [1_800, '1800'],
  [3 * 86_400, '36000'],
])(
  'an SMS that is to be sent within %j seconds has the validity period %j',
  async (validForSeconds, expected) => {
    const asked: URLSearchParams[] = [];
    const baseUrl = await startLocalServer(async (request, response) => {
      asked.push(new URLSearchParams(await text(request)));
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}');
    });
    const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
    expect(await carrier.sendSms({ ...sms, validForSeconds })).toMatchObject({ kind: 'ok' });
    expect(asked.map((form) => form.get('ValidityPeriod'))).toEqual([expected]);
  },
);

test.each([
  [21611, 'unavailable'],
  [21610, 'rejected'],
])('an SMS that is refused with %i is %s', async (code, kind) => {
  const baseUrl = await startLocalServer(async (_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 400, code, message: 'No.' }));
  });
  const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
  expect(await carrier.sendSms(sms)).toMatchObject({ kind });
});

test.each([
  [502, '{}'],
  [503, '{"code":null}'],
  [502, '"Bad Gateway"'],
  [302, '{}'],
])(
  'an answer of whoever stands before Twilio (%i with %s) leaves it open what was done',
  async (status, body) => {
    const baseUrl = await startLocalServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const carrier = createTwilioCarrier({ baseUrl, accountSid: 'AC1', authToken: 'token' });
    const outcomes = await Promise.all([
      carrier.provision(number, 'number-7'),
      carrier.findByReference('number-7'),
      carrier.release('PN1'),
      carrier.sendSms(sms),
    ]);
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['unknown']));
  },
);
