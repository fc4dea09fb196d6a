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

test('a room ends soon after the last one left, whoever called: only its end brings the report', async () => {
  const { asked, liveKit } = await agreeable();
  const call = { room: 'parley-call-7', trunkId: 'ST_out', to: '+491701234567', from: '+4930901820' };
  const dialed = await liveKit.call({ ...call, brief: {}, ringingTimeoutS: 60, maxDurationS: 600 });
  expect(dialed.kind).toBe('ok');
  expect(asked.get('CreateRoom')).toMatchObject({ name: call.room, departureTimeout: 2 });
  expect((await liveKit.receiveCalls()).kind).toBe('ok');
  expect(asked.get('CreateSIPDispatchRule')).toMatchObject({
    roomConfig: { departureTimeout: 2, agents: [{ agentName: 'parley' }] },
  });
});
