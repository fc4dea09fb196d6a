import { Secret } from '@parley/process-kit';
import { describe, expect, test } from 'vitest';
import type { OutgoingMessage } from '../chat-platform.ts';
import { answerJson, graphError, graphServer } from './graph-server.fixture.ts';
import { createWhatsApp } from './whatsapp.ts';

const from = { phoneNumberId: '106540352242922', accountId: '102290129340398' };
const hello: OutgoingMessage = {
  to: '+491711234567',
  reference: 'message-12',
  content: { type: 'text', body: 'Hello' },
};

describe('a sent message', () => {
  const accepted = {
    messaging_product: 'whatsapp',
    messages: [{ id: 'wamid.1', message_status: 'accepted' }],
  };

  test.each<[string, OutgoingMessage['content'], object]>([
    ['text', { type: 'text', body: 'Hello' }, { type: 'text', text: { body: 'Hello' } }],
    [
      'a template without variables',
      {
        type: 'template',
        name: 'welcome',
        language: 'en',
        category: 'utility',
        format: 'positional',
        parameters: [],
      },
      { type: 'template', template: { name: 'welcome', language: { code: 'en' } } },
    ],
    [
      'a positional template',
      {
        type: 'template',
        name: 'order',
        language: 'pt_BR',
        category: 'utility',
        format: 'positional',
        parameters: [
          { key: '1', value: 'Ana' },
          { key: '2', value: '77' },
        ],
      },
      {
        type: 'template',
        template: {
          name: 'order',
          language: { code: 'pt_BR' },
          components: [
            {
              type: 'body',
              parameters: [
                { type: 'text', text: 'Ana' },
                { type: 'text', text: '77' },
              ],
            },
          ],
        },
      },
    ],
    [
      'a named template',
      {
        type: 'template',
        name: 'named',
        language: 'en',
        category: 'utility',
        format: 'named',
        parameters: [{ key: 'city', value: 'Rio' }],
      },
      {
        type: 'template',
        template: {
          name: 'named',
          language: { code: 'en' },
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Rio', parameter_name: 'city' }] }],
        },
      },
    ],
    [
      'a code, which its button takes once more',
      {
        type: 'template',
        name: 'otp',
        language: 'en',
        category: 'authentication',
        format: 'positional',
        parameters: [{ key: '1', value: '4711' }],
      },
      {
        type: 'template',
        template: {
          name: 'otp',
          language: { code: 'en' },
          components: [
            { type: 'body', parameters: [{ type: 'text', text: '4711' }] },
            { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '4711' }] },
          ],
        },
      },
    ],
    [
      'a template with gaps in header and buttons',
      {
        type: 'template',
        name: 'tracking',
        language: 'en',
        category: 'utility',
        format: 'named',
        parameters: [
          { key: 'city', value: 'Rio' },
          { key: 'header:name', value: 'Ana' },
          { key: 'url:1', value: 'a/7' },
          { key: 'copy_code:2', value: '25OFF' },
          { key: 'flow:3', value: 'visit-7' },
        ],
      },
      {
        type: 'template',
        template: {
          name: 'tracking',
          language: { code: 'en' },
          components: [
            { type: 'header', parameters: [{ type: 'text', text: 'Ana', parameter_name: 'name' }] },
            { type: 'body', parameters: [{ type: 'text', text: 'Rio', parameter_name: 'city' }] },
            { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'a/7' }] },
            {
              type: 'button',
              sub_type: 'copy_code',
              index: '2',
              parameters: [{ type: 'coupon_code', coupon_code: '25OFF' }],
            },
            {
              type: 'button',
              sub_type: 'flow',
              index: '3',
              parameters: [{ type: 'action', action: { flow_token: 'visit-7' } }],
            },
          ],
        },
      },
    ],
    [
      'a template with a picture',
      {
        type: 'template',
        name: 'menu',
        language: 'en',
        category: 'marketing',
        format: 'positional',
        parameters: [{ key: 'image:header', value: 'https://a.example/b.png' }],
      },
      {
        type: 'template',
        template: {
          name: 'menu',
          language: { code: 'en' },
          components: [
            {
              type: 'header',
              parameters: [{ type: 'image', image: { link: 'https://a.example/b.png' } }],
            },
          ],
        },
      },
    ],
  ])('is %s as the Cloud API takes it', async (_, content, body) => {
    const { whatsApp, asked } = await graphServer((response) => answerJson(response, 200, accepted));
    expect(await whatsApp.send(from, { ...hello, content })).toEqual({
      kind: 'ok',
      value: { messageId: 'wamid.1' },
    });
    expect(asked).toEqual([
      {
        method: 'POST',
        path: '/v23.0/106540352242922/messages',
        query: {},
        authorization: 'Bearer the-token',
        body: {
          messaging_product: 'whatsapp',
          recipient_type: 'individual',
          to: '491711234567',
          biz_opaque_callback_data: 'message-12',
          ...body,
        },
      },
    ]);
  });
});

test('a customer who hides their number is written to by what the platform calls them', async () => {
  const { whatsApp, asked } = await graphServer((response) =>
    answerJson(response, 200, { messages: [{ id: 'wamid.1' }] }),
  );
  await whatsApp.send(from, { ...hello, to: 'US.13491208655302741918' });
  expect(asked).toMatchObject([{ body: { recipient: 'US.13491208655302741918' } }]);
  expect(asked[0]?.body).not.toHaveProperty('to');
});

test('what the platform says is stored as far as it can be', async () => {
  const answers = [
    [200, { messages: [{ id: 'wamid\u0000.1\ud800' }] }],
    [400, graphError(100, { error_data: { details: 'a\u0000b\ud800' } })],
  ] as const;
  const outcomes = answers.map(async ([status, body]) => {
    const { whatsApp } = await graphServer((response) => answerJson(response, status, body));
    return whatsApp.send(from, hello);
  });
  expect(await Promise.all(outcomes)).toEqual([
    { kind: 'ok', value: { messageId: 'wamid.1\ufffd' } },
    { kind: 'rejected', code: '100', message: 'ab\ufffd' },
  ]);
});

describe('what became of a message that was not accepted', () => {
  test.each<[string, number, unknown, object]>([
    ['a definite no', 400, graphError(131026), { kind: 'rejected', code: '131026' }],
    ['a token that has ended', 401, graphError(190), { kind: 'unavailable' }],
    ['a session that has ended', 400, graphError(102), { kind: 'unavailable' }],
    ['an unknown app user', 401, graphError(0), { kind: 'unavailable' }],
    ['a permission that is missing', 403, graphError(200), { kind: 'rejected', code: '200' }],
    ['a template that is paused', 400, graphError(132015), { kind: 'rejected', code: '132015' }],
    ['a window that is closed', 400, graphError(131047), { kind: 'rejected', code: '131047' }],
    ['too many bad messages', 400, graphError(131048), { kind: 'rejected', code: '131048' }],
    ['an account in maintenance', 500, graphError(131057), { kind: 'unavailable' }],
    ['a number in maintenance', 500, graphError(2494100), { kind: 'unavailable' }],
    ['a service that is away', 500, graphError(131016), { kind: 'unavailable' }],
    ['a server that is away', 503, graphError(133004), { kind: 'unavailable' }],
    ['downtime', 503, graphError(2), { kind: 'unavailable' }],
    ['a capability that is missing', 500, graphError(3), { kind: 'rejected', code: '3' }],
    ['a number that is not registered', 500, graphError(131045), { kind: 'rejected', code: '131045' }],
    ['an unknown error, with any status', 400, graphError(1), { kind: 'unknown' }],
    ['too much for the account', 400, graphError(80008), { kind: 'unavailable' }],
    ['a no with a reason', 400, graphError(100, { error_data: { details: 'Why' } }), { message: 'Why' }],
    [
      'too much, with its details as a text',
      400,
      graphError(80008, { error_data: 'Why' }),
      { kind: 'unavailable' },
    ],
    ['a no with its details as a text', 400, graphError(131042, { error_data: 'Why' }), { code: '131042' }],
    ['a no of a proxy', 403, '<html>', { kind: 'rejected', code: null }],
    ['too much at once', 400, graphError(130429), { kind: 'unavailable' }],
    ['too many requests', 429, 'slow down', { kind: 'unavailable' }],
    ['a breakdown', 500, graphError(131000), { kind: 'unknown' }],
    ['a bad gateway', 502, '<html>', { kind: 'unknown' }],
    ['a request timeout', 408, '', { kind: 'unknown' }],
    ['a page instead of an answer', 200, '<html>It works!', { kind: 'unknown' }],
    ['an answer without a message', 200, { messages: [] }, { kind: 'unknown' }],
    ['an answer with an empty id', 200, { messages: [{ id: '' }] }, { kind: 'unknown' }],
    ['no content', 204, '', { kind: 'unknown' }],
    ['an endless answer', 200, 'x'.repeat(5 * 1024 * 1024), { kind: 'unknown' }],
  ])('%s', async (_, status, body, expected) => {
    const { whatsApp, asked } = await graphServer((response) => {
      if (typeof body === 'string') response.writeHead(status).end(body);
      else answerJson(response, status, body);
    });
    expect(await whatsApp.send(from, hello)).toMatchObject(expected);
    expect(asked).toHaveLength(1);
  });

  test('a connection that breaks is not known', async () => {
    const { whatsApp, asked } = await graphServer((response) => response.destroy());
    expect(await whatsApp.send(from, hello)).toMatchObject({ kind: 'unknown' });
    expect(asked).toHaveLength(1);
  });

  test('half an answer is not known', async () => {
    const { whatsApp } = await graphServer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"messages":[', () => response.destroy());
    });
    expect(await whatsApp.send(from, hello)).toMatchObject({ kind: 'unknown' });
  });

  /** What is told of two messages first: the first one may wait for ten times as long. */
  const toldFirst = async (answer: Parameters<typeof graphServer>[0]) => {
    const [patient, hasty] = [
      await graphServer(answer, { sendTimeoutMs: 3_000 }),
      await graphServer(answer, { sendTimeoutMs: 300 }),
    ];
    const later = patient.whatsApp.send(from, hello).then(() => 'what may wait longer');
    return Promise.race([later, hasty.whatsApp.send(from, hello)]);
  };

  test('no answer is not known, and is not waited for longer than said', async () => {
    expect(await toldFirst(() => undefined)).toMatchObject({ kind: 'unknown' });
  });

  test('an answer that drips is not waited for longer than said', async () => {
    const told = await toldFirst((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(drip));
    });
    expect(told).toMatchObject({ kind: 'unknown' });
  });

  test.each(['http://127.0.0.1:1', 'http://no-such-host.invalid'])(
    'nobody was there to take it: %s',
    async (baseUrl) => {
      const whatsApp = createWhatsApp({
        baseUrl,
        apiVersion: 'v23.0',
        accessToken: new Secret('the-token'),
        businessId: '1000',
      });
      expect(await whatsApp.send(from, hello)).toMatchObject({ kind: 'unavailable' });
      await whatsApp.close();
    },
  );
});
