import { json } from 'node:stream/consumers';
import { Secret } from '@parley/process-kit';
import { expect, test } from 'vitest';
import { startLocalServer } from '../local-server.fixture.ts';
import { createLiveKit } from './livekit.ts';

/** A server that agrees to everything, and what it was asked; it ends with the test. */
async function agreeable() {
  const asked = new Map<string, unknown>();
  const baseUrl = await startLocalServer(async (request, response) => {
    asked.set((request.url ?? '').split('/').at(-1) ?? '', await json(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  const liveKit = createLiveKit({
    baseUrl,
    apiKey: 'key',
    apiSecret: new Secret('secret-of-at-least-thirty-two-characters'),
    agentName: 'parley',
  });
  return { asked, liveKit };
}

test('a server without a trunk is called over TLS, with encrypted media and as whom it knows', async () => {
  const { asked, liveKit } = await agreeable();
  const credentials = { username: '4930901820', password: new Secret('hunter2') };
  const via = { server: { address: 'sip.example.com', credentials } };
  const call = { room: 'parley-call-8', via, to: '+491701234567', from: '+4930901820' };
  await liveKit.call({ ...call, brief: {}, ringingTimeoutS: 60, maxDurationS: 600 });
  expect(asked.get('CreateSIPParticipant')).toMatchObject({
    trunk: {
      hostname: 'sip.example.com',
      transport: 'SIP_TRANSPORT_TLS',
      authUsername: '4930901820',
      authPassword: 'hunter2',
    },
    media: { encryption: 'SIP_MEDIA_ENCRYPT_REQUIRE' },
    sipNumber: '+4930901820',
    sipCallTo: '+491701234567',
  });
});

test('a room ends soon after the last one left, whoever called: only its end brings the report', async () => {
  const { asked, liveKit } = await agreeable();
  const call = {
    room: 'parley-call-7',
    via: { trunkId: 'ST_out' },
    to: '+491701234567',
    from: '+4930901820',
  };
  const dialed = await liveKit.call({ ...call, brief: {}, ringingTimeoutS: 60, maxDurationS: 600 });
  expect(dialed.kind).toBe('ok');
  expect(asked.get('CreateRoom')).toMatchObject({ name: call.room, departureTimeout: 2 });
  expect((await liveKit.receiveCalls()).kind).toBe('ok');
  expect(asked.get('CreateSIPDispatchRule')).toMatchObject({
    roomConfig: { departureTimeout: 2, agents: [{ agentName: 'parley' }] },
  });
});
