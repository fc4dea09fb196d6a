import { SIPMediaConfig, SIPMediaEncryption, SIPOutboundConfig, SIPTransport } from '@livekit/protocol';
import { eventually } from '@parley/testing';
import { RoomServiceClient, SipClient, WebhookReceiver } from 'livekit-server-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
let sip: SipClient;
let rooms: RoomServiceClient;
const key = sandboxDefaults.LIVEKIT_API_KEY;
const secret = sandboxDefaults.LIVEKIT_API_SECRET.reveal();
const ours = '+14155552671';
const theirs = '+491701234567';

beforeAll(async () => {
  sandbox = await startTestSandbox();
  sip = new SipClient(sandbox.url, key, secret);
  rooms = new RoomServiceClient(sandbox.url, key, secret);
});
afterAll(() => sandbox.close());

const outboundTrunk = () =>
  sip.createSipOutboundTrunk('Acme', 'sip.example.com', [ours], {
    transport: 0,
    authUsername: 'acme',
    authPassword: 'secret',
  });

/** The webhooks of a room, verified with the official SDK. */
async function webhooksOf(room: string) {
  const receiver = new WebhookReceiver(key, secret);
  const all = await Promise.all(
    sandbox.received.map(({ headers, body }) => receiver.receive(body, String(headers.authorization))),
  );
  return all.filter((event) => (event.room?.name ?? event.egressInfo?.roomName) === room);
}

describe('an outbound call', () => {
  test('rings until the control API ends it, and its webhooks tell how it went', async () => {
    const trunk = await outboundTrunk();
    const room = 'call-7';
    const participant = await sip.createSipParticipant(trunk.sipTrunkId, theirs, room, {
      participantIdentity: 'customer',
      participantAttributes: { 'parley.call': '7' },
    });
    expect(participant).toMatchObject({ roomName: room, sipCallId: expect.stringMatching(/^SCL_/) });
    expect(await rooms.listParticipants(room)).toMatchObject([
      { identity: 'customer', attributes: { 'sip.callStatus': 'dialing', 'parley.call': '7' } },
    ]);
    for (const brief of ['{}', '']) {
      await rooms.updateParticipant(room, 'customer', { attributes: { 'parley.brief': brief } });
      const [known] = await rooms.listParticipants(room);
      expect(known?.attributes).toMatchObject({ 'sip.phoneNumber': theirs, 'parley.call': '7' });
      expect(known?.attributes['parley.brief'] ?? '').toBe(brief);
    }
    await expect(rooms.updateParticipant(room, 'nobody', { attributes: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      sip.createSipParticipant(trunk.sipTrunkId, theirs, room, { participantIdentity: 'customer' }),
    ).rejects.toMatchObject({ code: 'already_exists' });

    const ended = await sandbox.control('calls', {
      direction: 'outbound',
      to: theirs,
      from: ours,
      outcome: 'completed',
      duration_s: 42,
      transcript: 'Hello.',
      recording_url: 'https://example.com/7.mp3',
      extracted_variables: { city: 'Berlin' },
    });
    expect(ended).toMatchObject({ status: 200, body: { room, call_id: participant.sipCallId } });
    expect(await rooms.listParticipants(room)).toEqual([]);
    await eventually(async () =>
      expect((await webhooksOf(room)).map(({ event }) => event)).toEqual([
        'room_started',
        'participant_joined',
        'participant_left',
        'egress_ended',
        'room_finished',
      ]),
    );
    const [, , left, egress, finished] = await webhooksOf(room);
    expect(left?.participant).toMatchObject({
      disconnectReason: 1,
      attributes: {
        'parley.call': '7',
        'sip.callID': participant.sipCallId,
        'sip.phoneNumber': theirs,
        'sip.trunkPhoneNumber': ours,
        'sip.callStatus': 'hangup',
      },
    });
    expect(egress?.egressInfo?.fileResults[0]?.location).toBe('https://example.com/7.mp3');
    expect(JSON.parse(finished?.room?.metadata ?? '')).toMatchObject({
      call: {
        direction: 'outbound',
        from: ours,
        to: theirs,
        outcome: 'completed',
        duration_s: 42,
        transcript: 'Hello.',
        recording_url: 'https://example.com/7.mp3',
        extracted_variables: { city: 'Berlin' },
      },
    });
    expect(sandbox.received[0]).toMatchObject({
      path: '/hooks/voice/livekit',
      headers: { 'content-type': 'application/webhook+json' },
    });
  });

  test('may have a recording that is told of once the call is over', async () => {
    const trunk = await outboundTrunk();
    const room = 'call-8';
    await sip.createSipParticipant(trunk.sipTrunkId, theirs, room, { participantIdentity: 'customer' });
    await sandbox.control('calls', {
      direction: 'outbound',
      to: theirs,
      from: ours,
      outcome: 'completed',
      recording_url: 'https://example.com/8.mp3',
      recording_follows: true,
    });
    const told = await eventually(async () => {
      const webhooks = await webhooksOf(room);
      expect(webhooks).toHaveLength(5);
      return webhooks.slice(3);
    });
    expect(told).toMatchObject([
      { event: 'room_finished' },
      { event: 'egress_ended', egressInfo: { fileResults: [{ location: 'https://example.com/8.mp3' }] } },
    ]);
    expect(JSON.parse(told[0]?.room?.metadata ?? '')).toMatchObject({
      call: { recording_url: null, recording_follows: true },
    });
  });

  test('without a trunk is one by the chat platform’s server, which takes a sender by its own password only', async () => {
    await sandbox.control('chat/senders', {
      phone_number: ours,
      display_name: 'Acme',
      calling_enabled: true,
    });
    const headers = { authorization: `Bearer ${sandboxDefaults.WHATSAPP_ACCESS_TOKEN.reveal()}` };
    const graph = async (path: string) =>
      JSON.parse(JSON.stringify((await ask(`${sandbox.url}/v23.0/${path}`, { headers })).body));
    const edge = `${sandboxDefaults.WHATSAPP_BUSINESS_ID}/owned_whatsapp_business_accounts?fields=phone_numbers{id}`;
    const { data } = await graph(edge);
    const settings = `${data[0].phone_numbers.data[0].id}/settings`;
    expect(JSON.stringify(await graph(settings))).not.toContain('sip_user_password');
    const { calling } = await graph(`${settings}?include_sip_credentials=true`);
    const [{ sip_user_password: authPassword }] = calling.sip.servers;
    const server = {
      hostname: 'wa.meta.vc',
      transport: SIPTransport.SIP_TRANSPORT_TLS,
      authUsername: ours.slice(1),
    };
    const media = new SIPMediaConfig({ encryption: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE });
    const dial = (room: string, trunk: object, more: object = { media }) =>
      sip.createSipParticipant('', theirs, room, { fromNumber: ours, ...more }, new SIPOutboundConfig(trunk));

    await dial('call-taken', { ...server, authPassword });
    expect(await rooms.listParticipants('call-taken')).toHaveLength(1);
    await dial('call-wrong-password', { ...server, authPassword: 'guessed' });
    await dial('call-no-tls', { ...server, authPassword, transport: SIPTransport.SIP_TRANSPORT_AUTO });
    await dial('call-open-media', { ...server, authPassword }, {});
    for (const room of ['call-wrong-password', 'call-no-tls', 'call-open-media'])
      await eventually(async () => {
        const left = (await webhooksOf(room)).find(({ event }) => event === 'participant_left');
        expect(left?.participant).toMatchObject({
          disconnectReason: 1,
          attributes: { 'sip.callStatus': 'dialing' },
        });
      });
    await rooms.deleteRoom('call-taken');
  });

  test('is the one that ends, also when it is dialed a moment after that', async () => {
    const trunk = await outboundTrunk();
    const call = { direction: 'outbound', to: theirs, from: ours, outcome: 'busy' };
    // On a busy machine two seconds may be over before it is dialed.
    await eventually(async () => {
      await rooms.deleteRoom('call-late').catch(() => undefined);
      const ending = sandbox.control('calls', call);
      await sandbox.control('chat/senders', { phone_number: ours, display_name: 'Acme' });
      const participant = await sip.createSipParticipant(trunk.sipTrunkId, theirs, 'call-late');
      expect(await ending).toMatchObject({ body: { room: 'call-late', call_id: participant.sipCallId } });
    });
  });

  test('ends when the room is deleted', async () => {
    const trunk = await outboundTrunk();
    await sip.createSipParticipant(trunk.sipTrunkId, theirs, 'call-8');
    await rooms.deleteRoom('call-8');
    await expect(rooms.deleteRoom('call-8')).rejects.toMatchObject({ status: 404 });
    await eventually(async () =>
      expect((await webhooksOf('call-8')).map(({ event }) => event)).toContain('room_finished'),
    );
  });

  test('ends with what its agent has left in the room that it deletes', async () => {
    const trunk = await outboundTrunk();
    await sip.createSipParticipant(trunk.sipTrunkId, theirs, 'call-10');
    const left = JSON.stringify({ call: { outcome: 'completed', duration_s: 42 } });
    await rooms.updateRoomMetadata('call-10', left);
    await rooms.deleteRoom('call-10');
    await eventually(async () =>
      expect((await webhooksOf('call-10')).find(({ event }) => event === 'room_finished')).toMatchObject({
        room: { metadata: left },
      }),
    );
  });

  test.each(['491701234568', '01701234568'])(
    'that is dialed as %s ends by its number in E.164',
    async (dialed) => {
      const trunk = await outboundTrunk();
      const room = `call-${dialed}`;
      await sip.createSipParticipant(trunk.sipTrunkId, dialed, room);
      const ending = { direction: 'outbound', to: '+491701234568', from: ours, outcome: 'busy' };
      expect(await sandbox.control('calls', ending)).toMatchObject({ status: 200, body: { room } });
    },
  );

  test('needs a trunk', async () => {
    await expect(sip.createSipParticipant('ST_none', theirs, 'call-9')).rejects.toMatchObject({
      status: 404,
    });
  });
});

test('a trunk whose number is an extension is called, and calls', async () => {
  const extension = 'reception';
  const inbound = await sip.createSipInboundTrunk('Inbound', [extension]);
  const outbound = await sip.createSipOutboundTrunk('Outbound', 'sip.example.com', [extension], {
    transport: 0,
  });
  const came = await sandbox.control('calls', {
    direction: 'inbound',
    to: extension,
    from: theirs,
    outcome: 'busy',
  });
  expect(came).toMatchObject({ status: 200, body: { from: theirs, to: extension } });
  await sip.createSipParticipant(outbound.sipTrunkId, theirs, 'call-extension');
  const ended = await sandbox.control('calls', {
    direction: 'outbound',
    to: theirs,
    from: extension,
    outcome: 'busy',
  });
  expect(ended).toMatchObject({ status: 200, body: { room: 'call-extension' } });
  for (const { sipTrunkId } of [inbound, outbound]) await sip.deleteSipTrunk(sipTrunkId);
});

test.each([
  ['busy', 12],
  ['no-answer', 11],
  ['failed', 1],
] as const)('an inbound call that is %s has no duration and says why it ended', async (outcome, reason) => {
  const trunk = await sip.createSipInboundTrunk('Inbound', [ours]);
  const rule = await sip.createSipDispatchRule({ type: 'individual', roomPrefix: 'call-' });
  const call = { direction: 'inbound', to: ours, from: theirs, outcome, duration_s: 9 };
  const { body } = await sandbox.control('calls', call);
  const { room } = JSON.parse(JSON.stringify(body));
  await eventually(async () => expect(await webhooksOf(room)).toHaveLength(4));
  const [, joined, left, finished] = await webhooksOf(room);
  expect(joined?.participant?.attributes).toMatchObject({
    'sip.phoneNumber': theirs,
    'sip.trunkPhoneNumber': ours,
    'sip.trunkID': trunk.sipTrunkId,
    'sip.callStatus': 'ringing',
    'sip.ruleID': rule.sipDispatchRuleId,
  });
  expect(left?.participant?.disconnectReason).toBe(reason);
  expect(JSON.parse(finished?.room?.metadata ?? '')).toMatchObject({ call: { outcome, duration_s: 0 } });
  await sip.deleteSipDispatchRule(rule.sipDispatchRuleId);
  await sip.deleteSipTrunk(trunk.sipTrunkId);
});

test('a connected call with a sender’s number frees its permission requests', async () => {
  const { body } = await sandbox.control('chat/senders', {
    phone_number: ours,
    display_name: 'Acme',
    calling_enabled: true,
  });
  const sender = JSON.parse(JSON.stringify(body));
  const headers = {
    authorization: `Bearer ${sandboxDefaults.WHATSAPP_ACCESS_TOKEN.reveal()}`,
    'content-type': 'application/json',
  };
  const graph = `${sandbox.url}/v23.0/${sender.phone_number_id}`;
  await ask(`${graph}/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      messaging_product: 'whatsapp',
      to: theirs,
      type: 'interactive',
      interactive: { type: 'call_permission_request', action: { name: 'call_permission_request' } },
    }),
  });
  const canAsk = async () => {
    const permission = await ask(`${graph}/call_permissions?user_wa_id=491701234567`, { headers });
    return JSON.parse(JSON.stringify(permission.body)).actions[0].can_perform_action;
  };
  expect(await canAsk()).toBe(false);
  await sandbox.control('calls', { direction: 'inbound', to: ours, from: theirs, outcome: 'no-answer' });
  expect(await canAsk()).toBe(false);
  await sandbox.control('calls', {
    direction: 'inbound',
    to: ours,
    from: theirs,
    outcome: 'completed',
    duration_s: 5,
  });
  expect(await canAsk()).toBe(true);
});
