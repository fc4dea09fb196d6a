import { json } from 'node:stream/consumers';
import { Secret } from '@parley/process-kit';
import { startLocalServer } from '@parley/testing';
import { expect, test } from 'vitest';
import { createLiveKit } from './livekit.ts';

const access = {
  apiKey: 'key',
  apiSecret: new Secret('secret-of-at-least-thirty-two-characters'),
  agentName: 'parley',
};

/** A server that agrees to everything, and what it was asked; it ends with the test. */
async function agreeable() {
  const asked = new Map<string, unknown>();
  const baseUrl = await startLocalServer(async (request, response) => {
    asked.set((request.url ?? '').split('/').at(-1) ?? '', await json(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { asked, liveKit: createLiveKit({ ...access, baseUrl }) };
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

test('the agent reads from a caller what the call is about; of who has left nobody is told', async () => {
  const { asked, liveKit } = await agreeable();
  const brief = { call_id: 7, assistant_id: null };
  const caller = { room: 'call-_+491701234567_x', identity: 'sip_+491701234567' };
  expect(await liveKit.introduce(caller, brief)).toEqual({ kind: 'ok', value: undefined });
  expect(asked.get('UpdateParticipant')).toMatchObject({
    ...caller,
    attributes: { 'parley.brief': '{"call_id":7,"assistant_id":null}' },
  });
  const baseUrl = await startLocalServer((_, response) => {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"code":"not_found","msg":"participant does not exist"}');
  });
  expect(await createLiveKit({ ...access, baseUrl }).introduce(caller, brief)).toMatchObject({ kind: 'ok' });
});

test('a trunk that was made without saying as what may be there', async () => {
  const { liveKit } = await agreeable();
  const settings = {
    reference: 'sip-trunk-7',
    name: 'Office',
    number: '+4930901820',
    address: 'sip.example.com',
  };
  const trunk = { ...settings, credentials: null, allowedIps: null, country: null, headers: {} };
  for (const direction of ['inbound', 'outbound'] as const)
    expect(await liveKit.createTrunk(direction, trunk)).toMatchObject({ kind: 'unknown' });
});

test('a trunk that is refused because another one has the calls to its number is a conflict', async () => {
  const answers = ['Conflicting inbound SIP Trunks: "<new>" and "ST_1", using the same number(s)', 'No.'];
  const baseUrl = await startLocalServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code: 'invalid_argument', msg: answers.shift() }));
  });
  const liveKit = createLiveKit({ ...access, baseUrl });
  const settings = { reference: 'sip-trunk-7', name: 'Office', number: '+4930901820', address: '' };
  const trunk = { ...settings, credentials: null, allowedIps: null, country: null, headers: {} };
  for (const code of ['conflict', 'invalid_argument'])
    expect(await liveKit.createTrunk('inbound', trunk)).toMatchObject({ kind: 'rejected', code });
});

test('a room outlasts the customer by half a minute, whoever called: the agent in it has to write its report', async () => {
  const { asked, liveKit } = await agreeable();
  const call = {
    room: 'parley-call-7',
    via: { trunkId: 'ST_out' },
    to: '+491701234567',
    from: '+4930901820',
  };
  const dialed = await liveKit.call({ ...call, brief: {}, ringingTimeoutS: 60, maxDurationS: 600 });
  expect(dialed.kind).toBe('ok');
  expect(asked.get('CreateRoom')).toMatchObject({ name: call.room, departureTimeout: 30 });
  expect((await liveKit.receiveCalls()).kind).toBe('ok');
  expect(asked.get('CreateSIPDispatchRule')).toMatchObject({
    roomConfig: { departureTimeout: 30, agents: [{ agentName: 'parley' }] },
  });
});

test.each([
  ['unavailable', { code: 'unavailable', msg: 'twirp error unknown: no response from servers' }],
  ['unavailable', { code: 'unavailable', msg: 'no servers available (received 2 responses)' }],
  ['unknown', { code: 'unavailable', msg: 'the connection was lost' }],
  ['unknown', { msg: 'no response from servers' }],
])('dialing is %s where LiveKit answers 503 with %j', async (kind, answer) => {
  const baseUrl = await startLocalServer((request, response) => {
    const isDialing = request.url?.endsWith('/CreateSIPParticipant');
    response.writeHead(isDialing ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isDialing ? answer : {}));
  });
  const liveKit = createLiveKit({ ...access, baseUrl });
  const call = { room: 'parley-call-9', via: { trunkId: 'ST_1' }, to: '+491701234567', from: '+4930901820' };
  const dialed = await liveKit.call({ ...call, brief: {}, ringingTimeoutS: 60, maxDurationS: 600 });
  expect(dialed).toMatchObject({ kind, message: answer.msg });
});

/** LiveKit with these rules for inbound calls, and what it was asked to change of them. */
async function withRules(...items: readonly object[]) {
  const changes: unknown[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    const asked = await json(request);
    const isQuestion = request.url?.endsWith('/ListSIPDispatchRule');
    if (!isQuestion) changes.push(asked);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isQuestion ? { items } : {}));
  });
  return { changes, liveKit: createLiveKit({ ...access, baseUrl }) };
}

const ruleFor = (agentName: string, departure_timeout = 30) => ({
  sip_dispatch_rule_id: 'SDR_1',
  name: 'parley',
  rule: { dispatch_rule_individual: { room_prefix: 'call-' } },
  hide_phone_number: true,
  room_config: { agents: [{ agent_name: agentName }], empty_timeout: 40, departure_timeout },
});

test('inbound calls go to the agent that is configured by now; all else of their rule stays as it is', async () => {
  const { changes, liveKit } = await withRules({ name: 'of somebody else' }, ruleFor('before'));
  expect((await liveKit.receiveCalls()).kind).toBe('ok');
  expect(changes).toMatchObject([
    {
      sipDispatchRuleId: 'SDR_1',
      replace: {
        name: 'parley',
        rule: { dispatchRuleIndividual: { roomPrefix: 'call-' } },
        hidePhoneNumber: true,
        roomConfig: { agents: [{ agentName: 'parley' }], emptyTimeout: 40, departureTimeout: 30 },
      },
    },
  ]);
  expect(await liveKit.keepAgent()).toEqual({ kind: 'ok', value: undefined });
  expect(changes).toHaveLength(2);
});

test('a rule of a version that left agents two seconds for their report leaves them half a minute', async () => {
  const { changes, liveKit } = await withRules(ruleFor('parley', 2));
  expect(await liveKit.keepAgent()).toEqual({ kind: 'ok', value: undefined });
  expect(changes).toMatchObject([{ replace: { roomConfig: { emptyTimeout: 40, departureTimeout: 30 } } }]);
});

test('a rule that names the agent is left alone, and where there is none, none is made for its agent alone', async () => {
  const { changes, liveKit } = await withRules(ruleFor('parley'));
  await liveKit.receiveCalls();
  expect(changes).toEqual([]);
  const { changes: made, liveKit: without } = await withRules();
  expect(await without.keepAgent()).toEqual({ kind: 'ok', value: undefined });
  expect(made).toEqual([]);
});

test('of two that see to inbound calls at once, whoever the platform refuses because of the other is done as well', async () => {
  let rules: readonly object[] = [{ name: 'of somebody else' }];
  const answers = new Map<string, () => readonly [number, object]>([
    ['ListSIPDispatchRule', () => [200, { items: rules }]],
    [
      'CreateSIPDispatchRule',
      () => {
        rules = [...rules, ruleFor('parley')];
        return [400, { code: 'invalid_argument', msg: 'Conflicting SIP Dispatch Rules' }];
      },
    ],
  ]);
  const baseUrl = await startLocalServer((request, response) => {
    const [status, body] = answers.get((request.url ?? '').split('/').at(-1) ?? '')?.() ?? [404, {}];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const liveKit = createLiveKit({ ...access, baseUrl });
  expect((await liveKit.receiveCalls()).kind).toBe('ok');
  rules = [];
  answers.set('CreateSIPDispatchRule', () => [400, { code: 'invalid_argument', msg: 'No.' }]);
  expect(await liveKit.receiveCalls()).toMatchObject({ kind: 'rejected', message: 'No.' });
});

test('calls to a number come in by every trunk that has it, with its plus or without, as LiveKit takes numbers', async () => {
  const ofNumber = (metadata: string, ...numbers: readonly string[]) => ({ metadata, numbers });
  const items = [
    ofNumber('sip-trunk-7', '4930901820'),
    ofNumber('sip-trunk-8', '+49-30-901820'),
    ofNumber('sip-trunk-9', '+49309018200'),
    ofNumber('of any number'),
  ];
  const asked: unknown[] = [];
  const baseUrl = await startLocalServer(async (request, response) => {
    asked.push(await json(request));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ items }));
  });
  const liveKit = createLiveKit({ ...access, baseUrl });
  expect(await liveKit.inboundOf('+4930901820')).toEqual({
    kind: 'ok',
    value: ['sip-trunk-7', 'sip-trunk-8'],
  });
  expect(asked).toMatchObject([{ numbers: ['+4930901820', '4930901820'] }]);
  expect(await liveKit.inboundOf('reception')).toEqual({ kind: 'ok', value: [] });
});
