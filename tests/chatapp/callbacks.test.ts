import { randomBytes } from 'node:crypto';
import { eventually } from '@parley/testing';
import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { notification, postCallback, signatureOf } from '../support/chat-callbacks.ts';
import { connectedSender, control, platformTemplate } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRows } from '../support/database.ts';

const [gateway = '', otherGateway = ''] = gatewayUrls();

/** A sender of a fresh account, whose templates at the platform are newer than what is known of them. */
async function changedAtPlatform() {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const sender = await connectedSender(api, {}, [{ name: 'waiting', status: 'pending' }]);
  await platformTemplate(sender.phone, { name: 'waiting', status: 'approved' });
  const { waba_id } = await control<{ waba_id: string }>('chat/senders', { phone_number: sender.phone });
  const statuses = async () => {
    const { body } = await api.get(`/api/user/chatapp/senders/${sender.id}/templates?status=all`);
    return (body as { data: { status: string }[] }).data.map(({ status }) => status);
  };
  const events = async () => {
    const rows = await readRows(
      'messaging',
      `select type from es.events where account_id = ${account.id} order by position`,
    );
    return rows.map(({ type }) => String(type));
  };
  return { accountId: waba_id, statuses, events };
}

const templateChanged = (accountId: string) =>
  notification(accountId, 'message_template_status_update', { event: 'APPROVED', message_template_id: 1 });

test('what the platform says about its templates is read at once, and once, however often it is told', async () => {
  const { accountId, statuses, events } = await changedAtPlatform();
  const body = templateChanged(accountId);
  const urls = [gateway, otherGateway, gateway, otherGateway, gateway, otherGateway];
  const answers = await Promise.all(urls.map((url) => postCallback(url, body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  await eventually(async () => expect(await statuses()).toEqual(['approved']));
  expect(await events()).toEqual(['SenderConnected', 'TemplateAdded', 'TemplateStatusChanged']);
});

describe('a callback that is not signed by the platform is 401 and changes nothing', () => {
  test.each<[string, (body: string) => Record<string, string>]>([
    ['without a signature', () => ({})],
    ['with an empty one', () => ({ 'x-hub-signature-256': '' })],
    ['with that of another secret', (body) => ({ 'x-hub-signature-256': signatureOf(body, 'guess') })],
    ['with that of another body', (body) => ({ 'x-hub-signature-256': signatureOf(`${body} `) })],
    ['in capitals', (body) => ({ 'x-hub-signature-256': signatureOf(body).toUpperCase() })],
    ['cut short', (body) => ({ 'x-hub-signature-256': signatureOf(body).slice(0, -2) })],
    ['without its scheme', (body) => ({ 'x-hub-signature-256': signatureOf(body).slice(7) })],
    ['by the older scheme', (body) => ({ 'x-hub-signature': signatureOf(body) })],
  ])('%s', async (_, headersOf) => {
    const { accountId, statuses, events } = await changedAtPlatform();
    const body = templateChanged(accountId);
    const { status, text } = await postCallback(gateway, body, headersOf(body));
    expect([status, text]).toEqual([401, '{"error":"Unauthorized"}']);
    const positive = templateChanged('1');
    expect((await postCallback(gateway, positive)).status).toBe(200);
    expect(await statuses()).toEqual(['pending']);
    expect(await events()).toEqual(['SenderConnected', 'TemplateAdded']);
  });
});

test('one changed byte spoils the signature, whichever it is', async () => {
  const body = templateChanged('1');
  const signature = { 'x-hub-signature-256': signatureOf(body) };
  for (let at = 0; at < body.length; at += 7) {
    const changed = Buffer.from(body);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect((await postCallback(gateway, changed, signature)).status).toBe(401);
  }
  expect((await postCallback(gateway, body, signature)).status).toBe(200);
});

describe('a signed callback', () => {
  test.each(['', '{', '[]', '"text"', '{}', '{"entry":1}', 'entry=1', '{"entry":[{"id":1}]}'])(
    'of %j is no notification: 400',
    async (body) => {
      const answer = await postCallback(gateway, body);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { message: expect.any(String) }]);
    },
  );

  test.each([
    ['of bytes that are no text', Buffer.from([0xff, 0xfe, 0x00]), 400],
    ['without entries', JSON.stringify({ entry: [] }), 200],
    ['of a number that nobody has connected', unknownNumber(), 200],
    ['of a burst', unknownNumber(4_000), 200],
    ['of a field nobody knows', notification('1', 'something_new', {}), 200],
    ['whose messages make no sense', notification('1', 'messages', { messages: [1, null, {}] }), 200],
    ['larger than it can be', JSON.stringify({ entry: [], x: 'x'.repeat(3 * 1024 * 1024) }), 413],
    [
      'of so much noise that it cannot travel',
      JSON.stringify({ entry: [], x: randomBytes(700 * 1024).toString('hex') }),
      413,
    ],
  ])('%s', async (_, body, status) => {
    expect((await postCallback(gateway, body)).status).toBe(status);
  });

  test.each([
    ['as text', { 'content-type': 'text/plain' }],
    ['of no known type', { 'content-type': 'application/octet-stream' }],
  ])('is read by its bytes: %s', async (_, headers) => {
    const body = templateChanged('1');
    const signed = { ...headers, 'x-hub-signature-256': signatureOf(body) };
    expect((await postCallback(gateway, body, signed)).status).toBe(200);
  });
});

test('there is no such provider, no such path, no such method', async () => {
  const body = templateChanged('1');
  const signed = { 'x-hub-signature-256': signatureOf(body) };
  for (const path of [
    '/hooks/chat/telegram',
    '/hooks/chat/',
    '/hooks/mail/whatsapp',
    '/hooks/chat/whatsapp/1',
  ])
    expect((await postCallback(gateway, body, signed, path)).status, path).toBe(404);
  const put = await request(`${gateway}/hooks/chat/whatsapp`, { method: 'PUT', body });
  expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
});

describe('the platform’s question whether the URL is ours', () => {
  const ask = async (token: string) => {
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.verify_token': token,
      'hub.challenge': '1158201444',
    });
    const answer = await comingBack(createApi(gateway)).get(`/hooks/chat/whatsapp?${query}`);
    return [answer.status, answer.text, answer.headers['content-type']];
  };

  test('is answered with its challenge', async () => {
    expect(await ask('sandbox-whatsapp-verify-token')).toEqual([
      200,
      '1158201444',
      'text/plain; charset=utf-8',
    ]);
  });

  test('is not answered to who does not know our word for it', async () => {
    for (const token of ['', 'guess', 'sandbox-whatsapp-verify-tokem'])
      expect((await ask(token)).slice(0, 2)).toEqual([401, '{"error":"Unauthorized"}']);
  });
});

function unknownNumber(messages = 1): string {
  const message = {
    from: '491711234567',
    timestamp: '1800000000',
    type: 'text',
    text: { body: 'x'.repeat(200) },
  };
  return notification('1', 'messages', {
    metadata: { phone_number_id: '1' },
    messages: Array.from({ length: messages }, (_, n) => ({ id: `wamid.${n}`, ...message })),
  });
}
