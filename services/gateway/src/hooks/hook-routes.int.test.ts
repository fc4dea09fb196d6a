import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Controller } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import {
  receiveChatCallback,
  receiveSmsCallback,
  receiveVoiceCallback,
  subjectOf,
  verifyChatSubscription,
} from '@parley/contracts';
import type { BusReply } from '@parley/message-bus';
import type { BusContext } from '@parley/message-bus/nest';
import { eventually } from '@parley/testing';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { startService } from '../gateway.fixture.ts';
import { startPlatform } from '../platform.fixture.ts';

type Callback = z.output<typeof receiveChatCallback.input>;

const asked: { readonly payload: Callback; readonly context: BusContext['message'] }[] = [];
let replies: BusReply[] = [];

@Controller()
class MessagingController {
  @MessagePattern(subjectOf(receiveChatCallback))
  receive(@Payload() payload: Callback, @Ctx() { message }: BusContext): BusReply {
    asked.push({ payload, context: message });
    return replies.shift() ?? { kind: 'ok', body: '{"received":1}' };
  }

  @MessagePattern(subjectOf(verifyChatSubscription))
  verify(@Payload() { token }: z.output<typeof verifyChatSubscription.input>): BusReply {
    return token === 'ours'
      ? { kind: 'ok', body: '{"verified":true}' }
      : { kind: 'rejected', rejection: { code: 'unauthorized' } };
  }
}

@Controller()
class TelephonyController {
  @MessagePattern(subjectOf(receiveSmsCallback))
  receive(@Payload() payload: z.output<typeof receiveSmsCallback.input>): BusReply {
    return { kind: 'ok', body: JSON.stringify(payload) };
  }

  @MessagePattern(subjectOf(receiveVoiceCallback))
  hear(): BusReply {
    return replies.shift() ?? { kind: 'ok', body: '{"received":1}' };
  }
}

const platform = await startPlatform();
let messaging = await startService(platform.bus.url, 'messaging', [MessagingController]);
afterAll(() => messaging.close());
beforeEach(() => {
  asked.length = 0;
  replies = [];
});

const post = (rawBody: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  platform.call('POST', '/hooks/chat/whatsapp', { key: null, rawBody, headers });

test('a callback reaches the service byte for byte, with its signature and nothing else of its head', async () => {
  const bytes = new Uint8Array([0x7b, 0x20, 0xff, 0x00, 0x0a, 0x7d]);
  const { status, json, headers } = await post(bytes, {
    'x-hub-signature-256': 'sha256=abc',
    authorization: 'Bearer secret',
    'x-request-id': 'callback-request-1',
  });
  expect([status, json]).toEqual([200, { received: 1 }]);
  expect(headers.get('x-request-id')).toBe('callback-request-1');
  expect(asked).toMatchObject([
    {
      payload: { provider: 'whatsapp', headers: { 'x-hub-signature-256': 'sha256=abc' } },
      context: { accountId: null, correlationId: 'callback-request-1', fingerprint: null },
    },
  ]);
  expect(Object.keys(asked[0]?.payload.headers ?? {})).toEqual(['x-hub-signature-256']);
  expect(Buffer.from(asked[0]?.payload.body_base64 ?? '', 'base64')).toEqual(Buffer.from(bytes));
});

test('of a callback whose URL is signed as well, the service gets the path and query that were called', async () => {
  const telephony = await startService(platform.bus.url, 'telephony', [TelephonyController]);
  const target = '/hooks/sms/twilio?reference=sms-7&note=%27a%20';
  const headers = { 'x-twilio-signature': 'abc=' };
  const { status, json } = await platform.call('POST', target, { key: null, rawBody: 'a=1', headers });
  await telephony.close();
  expect([status, json]).toEqual([
    200,
    { provider: 'twilio', headers, target, body_base64: Buffer.from('a=1').toString('base64') },
  ]);
});

test('each callback is a command of its own', async () => {
  await post('{}');
  await post('{}');
  const [first, second] = asked.map(({ context }) => context.commandId);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(second).not.toBe(first);
});

test('a body that is compressed or of any type is passed on as it is', async () => {
  await post('not gzip', { 'content-encoding': 'gzip', 'content-type': 'text/weird' });
  expect(Buffer.from(asked[0]?.payload.body_base64 ?? '', 'base64').toString()).toBe('not gzip');
});

test.each([
  ['unauthorized', 401, { error: 'Unauthorized' }],
  ['not_found', 404, { message: 'Not found.' }],
  ['malformed', 400, { message: 'The request could not be read.' }],
  ['unavailable', 503, { message: 'The service is temporarily unavailable.' }],
])('what the service calls %s is %s', async (code, status, body) => {
  replies = [{ kind: 'rejected', rejection: { code } }];
  const answered = await post('{}');
  expect([answered.status, answered.json]).toEqual([status, body]);
});

test('a voice platform that tells again four times only does so for long enough to outlast a restart', async () => {
  const tell = async () => {
    const { status, headers } = await platform.call('POST', '/hooks/voice/livekit', {
      key: null,
      rawBody: '{}',
    });
    return [status, headers.get('retry-after')];
  };
  expect(await tell()).toEqual([503, '5']);
  const telephony = await startService(platform.bus.url, 'telephony', [TelephonyController]);
  const answers = ['unavailable', 'unauthorized'] as const;
  replies = answers.map((code) => ({ kind: 'rejected', rejection: { code, retryAfterSeconds: 1 } }));
  expect([await tell(), await tell(), await tell()]).toEqual([
    [503, '5'],
    [401, null],
    [200, null],
  ]);
  await telephony.close();
});

test('whoever packs a body as the service cannot unpack it learns how it may', async () => {
  replies = [{ kind: 'rejected', rejection: { code: 'unsupported_media_type', acceptEncoding: 'gzip, br' } }];
  const { status, headers } = await post('{}', { 'content-encoding': 'zstd' });
  expect([status, headers.get('accept'), headers.get('accept-encoding')]).toEqual([415, null, 'gzip, br']);
});

test('a body larger than the bus can carry travels compressed', async () => {
  const bodies = ['x'.repeat(640 * 1024), 'x'.repeat(640 * 1024 + 1), 'x'.repeat(3 * 1024 * 1024)];
  for (const body of bodies) expect((await post(body)).status).toBe(200);
  const arrived = asked.map(({ payload: { body_base64 = '', is_gzipped } }) => {
    const bytes = Buffer.from(body_base64, 'base64');
    return [is_gzipped, (is_gzipped ? gunzipSync(bytes) : bytes).toString()];
  });
  expect(arrived).toEqual(bodies.map((body, index) => [index === 0 ? undefined : true, body]));
});

test.each([
  ['larger than any that the platform sends', 'x'.repeat(3 * 1024 * 1024 + 1)],
  ['too large even when it is compressed', randomBytes(640 * 1024).toString('hex')],
])('a body %s is refused before it is passed on', async (_, body) => {
  const { status } = await post(body);
  expect([status, asked.length]).toEqual([413, 0]);
});

test('who sends a body that is too large gets the answer, however slowly it leaves, and may go on', async () => {
  const { hostname, port } = new URL(platform.url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const faults: Error[] = [];
  let answered = '';
  socket
    .on('error', (error) => faults.push(error))
    .on('data', (chunk: Buffer) => {
      answered += chunk.toString();
    });
  const head = (size: number) =>
    `POST /hooks/chat/whatsapp HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`;
  socket.write(head(4 * 1024 * 1024));
  for (let part = 0; part < 4; part += 1) {
    await setTimeout(20);
    socket.write('x'.repeat(1024 * 1024));
  }
  socket.write(`${head(2)}{}`);
  await eventually(() => expect(answered.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']));
  expect(faults).toEqual([]);
});

test('whoever begins with large bodies and does not end fills no more memory than that of a few', async () => {
  const { hostname, port } = new URL(platform.url);
  const head = 'POST /hooks/chat/whatsapp HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n';
  const sockets = Array.from({ length: 64 }, () => connect(Number(port), hostname));
  onTestFinished(() => void sockets.map((socket) => socket.destroy()));
  for (const socket of sockets)
    socket.on('error', () => undefined).write(`${head}Content-Length: ${1024 * 1024}\r\n\r\n`);
  // Each is told to go on: it has its place.
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  const large = 'x'.repeat(1024 * 1024);
  expect((await post(large)).status).toBe(503);
  expect((await post('{}')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  await eventually(async () => expect((await post(large)).status).toBe(200));
});

test('without the service, the platform is asked to come back', async () => {
  await messaging.close();
  const { status, headers } = await post('{}');
  expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  messaging = await startService(platform.bus.url, 'messaging', [MessagingController]);
  expect((await post('{}')).status).toBe(200);
});

test('the platform’s question is answered with its challenge as text, to whoever knows the token', async () => {
  const ask = (query: string) => platform.call('GET', `/hooks/chat/whatsapp${query}`, { key: null });
  const challenge = encodeURIComponent('<script>1</script>');
  const known = await ask(`?hub.mode=subscribe&hub.verify_token=ours&hub.challenge=${challenge}`);
  expect([known.status, known.text]).toEqual([200, '<script>1</script>']);
  expect(known.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(known.headers.get('x-content-type-options')).toBe('nosniff');
  for (const query of ['', '?hub.verify_token=theirs', '?hub.verify_token=ours&hub.verify_token=ours'])
    expect((await ask(query)).status, query).toBe(401);
});
