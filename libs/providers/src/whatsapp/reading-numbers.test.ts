import { describe, expect, test } from 'vitest';
import { answerJson, graphError, graphServer } from './graph-server.fixture.ts';

const ref = { phoneNumberId: '11', accountId: '22' };
const unknownObject = graphError(100, { error_subcode: 33 });
const number = {
  id: '11',
  display_phone_number: '+1 631-555-3601',
  verified_name: 'Lucky Shrub',
  quality_rating: 'YELLOW',
  whatsapp_business_manager_messaging_limit: 'TIER_1K',
  status: 'CONNECTED',
};

const withNumber = (extra: object, settings: object = {}) =>
  graphServer((response, { path }) =>
    answerJson(response, 200, path.endsWith('/settings') ? settings : { ...number, ...extra }),
  );

describe('a business number', () => {
  test('is read with what it may do', async () => {
    const { whatsApp, asked } = await withNumber({}, { calling: { status: 'ENABLED' } });
    expect(await whatsApp.getNumber(ref)).toEqual({
      kind: 'ok',
      value: {
        phoneNumberId: '11',
        accountId: '22',
        phoneNumber: '+16315553601',
        displayName: 'Lucky Shrub',
        isOnline: true,
        qualityRating: 'YELLOW',
        messagingLimit: 1_000,
        isCallingEnabled: true,
      },
    });
    expect(asked.map(({ path }) => path).sort()).toEqual(['/v23.0/11', '/v23.0/11/settings']);
    expect(asked.every(({ authorization }) => authorization === 'Bearer the-token')).toBe(true);
  });

  test.each([
    ['TIER_50', 50],
    ['TIER_250', 250],
    ['TIER_2K', 2_000],
    ['TIER_100K', 100_000],
    ['TIER_37', 37],
    ['TIER_0', 0],
    ['TIER_2147483647', 2_147_483_647],
    ['TIER_999999999999999', 999_999_999_999_999],
    ['TIER_9999999999999K', 250],
    ['TIER_UNLIMITED', null],
    ['TIER_NOT_SET', 250],
    [undefined, 250],
    [null, 250],
  ])('of the tier %s may write to %s recipients', async (tier, messagingLimit) => {
    const { whatsApp, asked } = await withNumber({ whatsapp_business_manager_messaging_limit: tier });
    expect(await whatsApp.getNumber(ref)).toMatchObject({ value: { messagingLimit } });
    // Graph refuses to be asked for what it no longer has.
    expect(asked.map(({ query }) => query.fields)).toContain(
      'id,display_phone_number,verified_name,quality_rating,whatsapp_business_manager_messaging_limit,status',
    );
  });

  test('about which the platform says nothing is read all the same', async () => {
    const nothing = { verified_name: null, quality_rating: null, status: null };
    const { whatsApp } = await withNumber(nothing, { calling: null });
    expect(await whatsApp.getNumber(ref)).toMatchObject({
      value: { displayName: '', isOnline: false, qualityRating: null, isCallingEnabled: false },
    });
  });

  test.each([
    ['CONNECTED', true],
    ['FLAGGED', true],
    ['RESTRICTED', true],
    ['RATE_LIMITED', true],
    ['BANNED', false],
    ['PENDING', false],
    ['DISCONNECTED', false],
    [undefined, false],
  ])('that is %s is online: %s', async (status, isOnline) => {
    const { whatsApp } = await withNumber({ status });
    expect(await whatsApp.getNumber(ref)).toMatchObject({ value: { isOnline } });
  });

  test.each(['UNKNOWN', 'NA', undefined])('rated %s is not rated', async (quality_rating) => {
    const { whatsApp } = await withNumber({ quality_rating });
    expect(await whatsApp.getNumber(ref)).toMatchObject({ value: { qualityRating: null } });
  });

  test('that the platform does not know is null', async () => {
    const { whatsApp } = await graphServer((response) => answerJson(response, 400, unknownObject));
    expect(await whatsApp.getNumber(ref)).toEqual({ kind: 'ok', value: null });
  });

  test('that cannot be read now is unavailable, whatever went wrong', async () => {
    for (const status of [500, 502, 200]) {
      const { whatsApp } = await graphServer((response) => response.writeHead(status).end('<html>'));
      expect(await whatsApp.getNumber(ref)).toMatchObject({ kind: 'unavailable' });
    }
    const { whatsApp } = await graphServer(() => undefined, { readTimeoutMs: 100 });
    expect(await whatsApp.getNumber(ref)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('as whom a business number calls by SIP', () => {
  const number = { phoneNumberId: '11', phoneNumber: '+16315553601' };
  const account = async (sip: object | undefined) => {
    const { whatsApp, asked } = await graphServer((response) =>
      answerJson(response, 200, { calling: { status: 'ENABLED', sip } }),
    );
    const found = await whatsApp.findSipAccount(number);
    expect(asked).toMatchObject([{ path: '/v23.0/11/settings', query: { include_sip_credentials: 'true' } }]);
    return found.kind === 'ok' && found.value && { ...found.value, password: found.value.password.reveal() };
  };

  test('is its number without the plus sign, and the password of our app', async () => {
    const servers = [
      { app_id: 1, hostname: 'sip.example.net' },
      { app_id: 2, hostname: 'sip.example.com', sip_user_password: 'hunter2' },
    ];
    expect(await account({ status: 'ENABLED', servers })).toEqual({
      username: '16315553601',
      password: 'hunter2',
    });
  });

  test.each([
    ['SIP is off', { status: 'DISABLED', servers: [{ sip_user_password: 'hunter2' }] }],
    ['no server is set', { status: 'ENABLED', servers: [] }],
    ['nothing is said of SIP', undefined],
  ])('is nobody where %s', async (_, sip) => expect(await account(sip)).toBeNull());
});

describe('looking for a business number', () => {
  const account = (id: string, ...numbers: [string, string][]) => ({
    id,
    phone_numbers: { data: numbers.map(([id, display_phone_number]) => ({ id, display_phone_number })) },
  });
  const pages: Readonly<Record<string, unknown>> = {
    'owned ': { data: [account('1', ['10', '+1 555-0100'])], paging: { cursors: { after: 'b' }, next: 'x' } },
    'owned b': { data: [account('2'), { id: '3' }], paging: { cursors: { after: 'c' } } },
    'client ': { data: [account('4', ['11', '+1 631-555-3601'])] },
  };
  const portfolio = (answers = pages) =>
    graphServer((response, { path, query }) => {
      const edge = /\/1000\/(owned|client)_whatsapp_business_accounts$/.exec(path)?.[1];
      if (edge) answerJson(response, 200, answers[`${edge} ${query.after ?? ''}`]);
      else answerJson(response, 200, path.endsWith('/settings') ? {} : number);
    });

  test('goes through the accounts that are owned, and those that were shared', async () => {
    const { whatsApp, asked } = await portfolio();
    expect(await whatsApp.findNumber(['+16315553601'])).toMatchObject({
      kind: 'ok',
      value: { phoneNumberId: '11', accountId: '4', phoneNumber: '+16315553601' },
    });
    expect(
      asked.slice(0, 3).map(({ path, query }) => [path.slice('/v23.0/1000/'.length), query.after]),
    ).toEqual([
      ['owned_whatsapp_business_accounts', undefined],
      ['owned_whatsapp_business_accounts', 'b'],
      ['client_whatsapp_business_accounts', undefined],
    ]);
  });

  test('asks for more numbers of an account than Graph shows unasked', async () => {
    const { whatsApp, asked } = await portfolio();
    await whatsApp.findNumber(['+16315553601']);
    expect(asked[0]?.query.fields).toContain('phone_numbers.limit(100){');
  });

  test('finds one that the platform spells otherwise than it is dialed, and keeps its spelling', async () => {
    const shown = { ...number, display_phone_number: '+52 1 55 1234 5678' };
    const { whatsApp } = await graphServer((response, { path }) => {
      if (path.endsWith('/owned_whatsapp_business_accounts'))
        answerJson(response, 200, { data: [account('1', ['11', shown.display_phone_number])] });
      else answerJson(response, 200, path.endsWith('/settings') ? {} : shown);
    });
    expect(await whatsApp.findNumber(['+525512345678', '+5215512345678'])).toMatchObject({
      value: { phoneNumberId: '11', phoneNumber: '+5215512345678' },
    });
  });

  test('finds nothing where there is nothing', async () => {
    const { whatsApp } = await portfolio();
    expect(await whatsApp.findNumber(['+16315553602'])).toEqual({ kind: 'ok', value: null });
  });

  test.each([
    ['our token may not read it', graphError(10)],
    ['our token may not read it', graphError(200)],
    ['it is not ours', unknownObject],
  ])('says nothing of the number where the portfolio cannot be read: %s', async (_, refusal) => {
    const { whatsApp } = await graphServer((response) => answerJson(response, 400, refusal));
    expect(await whatsApp.findNumber(['+16315553601'])).toMatchObject({ kind: 'unavailable' });
  });

  test('is refused where Graph does not take the request itself', async () => {
    const { whatsApp } = await graphServer((response) => answerJson(response, 400, graphError(100)));
    expect(await whatsApp.findNumber(['+16315553601'])).toMatchObject({ kind: 'rejected', code: '100' });
  });

  test('goes through every page of a platform that takes its time for each', async () => {
    const { whatsApp } = await graphServer(
      (response, { path, query }) => {
        const page = Number(query.after ?? 0);
        const paging = page < 3 ? { cursors: { after: String(page + 1) }, next: 'x' } : {};
        const data = page < 3 ? [] : [account('4', ['11', '+1 631-555-3601'])];
        const isEdge = path.endsWith('/owned_whatsapp_business_accounts');
        const body = isEdge ? { data, paging } : path.endsWith('/settings') ? {} : number;
        setTimeout(() => answerJson(response, 200, body), isEdge ? 2_000 : 0);
      },
      { readTimeoutMs: 7_000 },
    );
    expect(await whatsApp.findNumber(['+16315553601'])).toMatchObject({ value: { accountId: '4' } });
  });

  test('ends in time, however many pages there are', async () => {
    const { whatsApp } = await graphServer(
      (response) =>
        setTimeout(
          () => answerJson(response, 200, { data: [], paging: { cursors: { after: 'x' }, next: 'x' } }),
          20,
        ),
      { readTimeoutMs: 200 },
    );
    expect(await whatsApp.findNumber(['+16315553602'])).toMatchObject({ kind: 'unavailable' });
  });
});
