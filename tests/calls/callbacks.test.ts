import { topUpBalance } from '@parley/contracts';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, ask, freshAccount, gatewayUrls, sharedBus } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { type Call, callingAssistant, fund } from '../support/calls.ts';
import { connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRows } from '../support/database.ts';
import { createSipTrunk } from '../support/sip-trunks.ts';
import { freshRoom, talking, tell, voicePath } from '../support/voice-callbacks.ts';

test('a callback with a bad signature is 401 and changes nothing; of an unknown provider 404', async () => {
  const anybody = comingBack(createApi(gatewayUrls()[0] ?? ''));
  const raw = JSON.stringify({ event: 'room_finished', room: { name: 'parley-call-1' } });
  for (const authorization of ['', 'nonsense', 'Bearer nonsense']) {
    const answer = await anybody.call('POST', voicePath, { raw, headers: { authorization } });
    expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized' }]);
  }
  const unknown = await anybody.call('POST', '/hooks/voice/nobody', { raw });
  expect(unknown.status).toBe(404);
});

test('a call told backwards, three times, over two gateways at once has one history', async () => {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const assistant = await callingAssistant(api, { type: 'inbound' });
  const customer = freshCustomerNumber();
  const room = freshRoom();
  const ours = assistant.trunk.phone_number;
  const report = {
    direction: 'inbound',
    from: customer,
    to: ours,
    outcome: 'completed',
    duration_s: 30,
    ended_at: '2026-11-21T09:31:00.000Z',
  };
  const participant = talking(customer, ours, { 'sip.trunkID': assistant.trunk.inbound_trunk_id });
  const recording = { roomName: room.name, fileResults: [{ location: 'https://example.com/1.mp3' }] };
  const events = [
    { event: 'room_finished', room: { ...room, metadata: JSON.stringify({ call: report }) } },
    { event: 'egress_ended', egressInfo: recording },
    { event: 'participant_left', room, participant },
    { event: 'participant_joined', room, participant },
  ];
  for (const event of events) {
    const answers = await Promise.all([tell(event, 0), tell(event, 1), tell(event, 0)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
  const { id } = await eventually(async () => {
    const { body } = await api.get('/api/user/calls');
    const { data } = body as { data: { id: number; cost: string | null; recording_url: string | null }[] };
    expect(data).toMatchObject([{ status: 'completed', cost: '0.10', recording_url: expect.any(String) }]);
    return data[0] ?? { id: 0 };
  });
  const history = await readRows<{ type: string }>(
    'telephony',
    `select type from es.events where stream_id = 'call-${id}' order by stream_version`,
  );
  const types = history.map(({ type }) => type);
  expect(types.slice(0, 2)).toEqual(['CallArrived', 'CallEnded']);
  expect(types.slice(2).sort()).toEqual(['CallCharged', 'CallRecordingAdded']);
});

test.each([
  ['inbound', 'ringing', 'inbound_trunk_id'],
  ['outbound', 'dialing', 'outbound_trunk_id'],
  ['outbound', 'active', 'outbound_trunk_id'],
] as const)('a call is %s that is %s by the trunk of that direction', async (direction, status, trunkId) => {
  const [api] = accountApis(await freshAccount());
  await fund(api);
  const { trunk } = await callingAssistant(api, { type: 'inbound' });
  const participant = talking(freshCustomerNumber(), trunk.phone_number, {
    'sip.callStatus': status,
    'sip.trunkID': trunk[trunkId],
  });
  const told = await tell({ event: 'participant_joined', room: freshRoom(), participant });
  expect(told.status).toBe(200);
  const { body } = await api.get('/api/user/calls');
  expect(body).toMatchObject({ data: [{ direction, status: 'in_progress' }] });
});

test('of calls that come in at once so many are answered as the account has minutes for', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const payment = { amount_micros: 200_000, description: 'Test', reference: null };
  await ask(await sharedBus(), topUpBalance, { account_id: account.id, ...payment });
  const { trunk } = await callingAssistant(api, { type: 'inbound' });
  for (let calls = 0; calls < 3; calls += 1) {
    const participant = talking(freshCustomerNumber(), trunk.phone_number, {
      'sip.trunkID': trunk.inbound_trunk_id,
    });
    const room = { ...freshRoom(), creationTime: String(Math.floor(Date.now() / 1_000)) };
    expect((await tell({ event: 'participant_joined', room, participant })).status).toBe(200);
  }
  const { data } = (await api.get('/api/user/calls')).body as { data: Call[] };
  expect(data.map(({ status }) => status)).toEqual(['failed', 'in_progress', 'in_progress']);
});

test('a call that was placed elsewhere is the outbound assistant’s that has the number, and nobody’s where several have it', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, trunk } = await callingAssistant(api);
  const placed = async () => {
    const to = freshCustomerNumber();
    await control('calls', { direction: 'outbound', from: trunk.phone_number, to, outcome: 'busy' });
    return eventually(async () => {
      const { data } = (await api.get('/api/user/calls?per_page=1')).body as {
        data: [{ customer_phone: string }];
      };
      expect(data[0].customer_phone).toBe(to);
      return data[0];
    });
  };
  expect(await placed()).toMatchObject({ direction: 'outbound', assistant_id: id });
  await createAssistant(api, { type: 'outbound', phone_number_id: trunk.id });
  expect(await placed()).toMatchObject({ direction: 'outbound', assistant_id: null });
});

test.each(['by the operator’s trunk for the chat app', 'only when it is over'])(
  'a call of a chat-app sender is its account’s, whatever others call their trunks, told %s',
  async (told) => {
    const [api] = accountApis(await freshAccount());
    const sender = await connectedSender(api);
    const other = accountApis(await freshAccount())[0];
    await createSipTrunk(other, { phone_number: sender.phone });
    const customer = freshCustomerNumber();
    const room = freshRoom();
    const participant = talking(customer, sender.phone, { 'sip.trunkID': 'ST_of_the_chat_app' });
    const call = {
      ...{ direction: 'inbound', from: customer, to: sender.phone, outcome: 'completed' },
      ...{ duration_s: 30, ended_at: '2026-11-21T09:31:00.000Z' },
    };
    const event = told.startsWith('by')
      ? { event: 'participant_joined', room, participant }
      : { event: 'room_finished', room: { ...room, metadata: JSON.stringify({ call }) } };
    expect((await tell(event)).status).toBe(200);
    expect((await other.get('/api/user/calls')).body).toMatchObject({ total: 0 });
    expect((await api.get('/api/user/calls')).body).toMatchObject({
      data: [{ channel: 'chatapp', customer_phone: customer, assistant_phone: sender.phone }],
    });
  },
);
