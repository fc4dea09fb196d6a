import { createHash } from 'node:crypto';
import { Secret } from '@parley/process-kit';
import { AccessToken } from 'livekit-server-sdk';
import { describe, expect, test } from 'vitest';
import { readLiveKitCallback } from '../livekit.ts';

const apiKey = 'key';
const apiSecret = new Secret('secret-of-at-least-thirty-two-characters');

async function sign(body: string, secret = apiSecret.reveal()): Promise<string> {
  const token = new AccessToken(apiKey, secret, { ttl: '5m' });
  token.sha256 = createHash('sha256').update(body).digest('base64');
  return token.toJwt();
}
const read = async (body: string, authorization?: string, onUnreadable = (_fault: string) => {}) =>
  readLiveKitCallback(
    { apiKey, apiSecret },
    Buffer.from(body),
    authorization ?? (await sign(body)),
    onUnreadable,
  );
const event = (name: string, content: object) => JSON.stringify({ event: name, id: 'EV_1', ...content });

const room = { name: 'parley-call-7', creationTime: '1795253400', metadata: '' };
const participant = {
  kind: 'SIP',
  identity: 'sip_+491701234567',
  attributes: {
    'sip.callStatus': 'ringing',
    'sip.phoneNumber': '+491701234567',
    'sip.trunkPhoneNumber': '+4930901820',
    'sip.trunkID': 'ST_out',
  },
};
const caller = {
  room: 'parley-call-7',
  identity: participant.identity,
  openedAt: '2026-11-21T09:30:00.000Z',
  trunkId: 'ST_out',
  customerPhone: '+491701234567',
  ourPhone: '+4930901820',
};

describe('a signature', () => {
  test('is of LiveKit’s key, over exactly these bytes', async () => {
    const body = event('room_started', { room });
    expect(await read(body)).toEqual({ kind: 'event', event: null });
    expect(await read(`${body} `, await sign(body))).toEqual({ kind: 'unsigned' });
    expect(await read(body, await sign(body, 'another-secret-of-thirty-two-characters'))).toEqual({
      kind: 'unsigned',
    });
    for (const nonsense of ['', 'nonsense', 'Bearer x'])
      expect(await read(body, nonsense)).toEqual({ kind: 'unsigned' });
  });

  test('does not make sense of what makes none', async () => {
    expect(await read('not JSON')).toEqual({ kind: 'malformed' });
    expect(await read('{"event":{}}')).toEqual({ kind: 'malformed' });
  });
});

test.each([
  ['participant_joined', {}, { type: 'joined', direction: 'inbound', ...caller }],
  ['participant_left', { disconnectReason: 'USER_REJECTED' }, { type: 'left', outcome: 'busy', ...caller }],
  [
    'participant_left',
    { disconnectReason: 'USER_UNAVAILABLE' },
    { type: 'left', outcome: 'no-answer', ...caller },
  ],
])('%s of somebody on a telephone is told: %j', async (name, extra, told) => {
  const body = event(name, { room, participant: { ...participant, ...extra } });
  expect(await read(body)).toEqual({ kind: 'event', event: told });
});

test.each([
  ['dialing', undefined, 'failed'],
  ['ringing', undefined, 'no-answer'],
  ['dialing', 'ROOM_DELETED', 'no-answer'],
  ['ringing', 'PARTICIPANT_REMOVED', 'no-answer'],
  ['active', undefined, 'completed'],
  ['active', 'ROOM_DELETED', 'completed'],
  ['hangup', 'CLIENT_INITIATED', 'completed'],
])(
  'who leaves a call that is %s, for the reason %s, leaves one that is %s',
  async (status, reason, outcome) => {
    const attributes = { ...participant.attributes, 'sip.callStatus': status };
    const left = { ...participant, attributes, ...(reason && { disconnectReason: reason }) };
    expect(await read(event('participant_left', { room, participant: left }))).toMatchObject({
      event: { type: 'left', outcome },
    });
  },
);

test('a caller who gives up before anybody answers was not answered', async () => {
  const attributes = { ...participant.attributes, 'sip.callStatus': 'ringing', 'sip.ruleID': 'SDR_1' };
  const body = event('participant_left', { room, participant: { ...participant, attributes } });
  expect(await read(body)).toMatchObject({ event: { type: 'left', outcome: 'no-answer' } });
});

test('what a caller’s telephone says of itself can be put on record', async () => {
  const attributes = { ...participant.attributes, 'sip.phoneNumber': 'a\u0000b' };
  const strange = { ...room, name: 'call-_a\u0000b' };
  const told = async (name: string, content: object) => (await read(event(name, content))) as object;
  const joined = { room: strange, participant: { ...participant, attributes } };
  const known = { room: 'call-_ab', customerPhone: 'ab' };
  expect(await told('participant_joined', joined)).toMatchObject({ event: known });
  const call = {
    ...{ direction: 'inbound', from: 'a\u0000b\ud800', to: '+4930901820', outcome: 'completed' },
    ...{ duration_s: 30, ended_at: '2026-11-21T09:31:00.000Z' },
  };
  const finished = { room: { ...strange, metadata: JSON.stringify({ call }) } };
  expect(await told('room_finished', finished)).toMatchObject({
    event: { room: 'call-_ab', report: { from: 'ab\ufffd' } },
  });
  const egressInfo = { roomName: strange.name, fileResults: [{ location: 'https://a/\u0000' }] };
  expect(await told('egress_ended', { egressInfo })).toMatchObject({
    event: { room: 'call-_ab', recordingUrl: 'https://a/' },
  });
});

test.each([
  ['inbound', { 'sip.callStatus': 'ringing', 'sip.ruleID': 'SDR_1' }],
  ['inbound', { 'sip.callStatus': 'dialing', 'sip.ruleID': 'SDR_1' }],
  ['inbound', { 'sip.callStatus': 'active' }],
  ['outbound', { 'sip.callStatus': 'dialing' }],
  ['outbound', { 'sip.callStatus': 'automation' }],
])('a call is %s with the attributes %j', async (direction, attributes) => {
  const joined = { ...participant, attributes: { ...participant.attributes, ...attributes } };
  const told = await read(event('participant_joined', { room, participant: joined }));
  expect(told).toMatchObject({ kind: 'event', event: { type: 'joined', direction } });
});

test('an agent that joins is no caller', async () => {
  const body = event('participant_joined', { room, participant: { kind: 'AGENT' } });
  expect(await read(body)).toEqual({ kind: 'event', event: null });
});

test('an agent’s report has every digit of an order number', async () => {
  const report = `{"direction":"inbound","from":"+1","to":"+2","outcome":"completed",
    "extracted_variables":{"order":12345678901234567890,"guests":4}}`;
  const finished = event('room_finished', { room: { ...room, metadata: `{"call":${report}}` } });
  expect(await read(finished)).toMatchObject({
    event: { report: { extracted_variables: { order: '12345678901234567890', guests: 4 } } },
  });
});

test('a finished room tells the agent’s report, when it left one that can be read', async () => {
  const report = {
    direction: 'outbound',
    from: '+1',
    to: '+2',
    outcome: 'busy',
    ended_at: '2026-11-21T09:31:00Z',
  };
  const finished = async (metadata: string) => {
    const read_ = await read(event('room_finished', { room: { ...room, metadata } }));
    return read_.kind === 'event' ? read_.event : read_;
  };
  expect(await finished(JSON.stringify({ call_id: 7, call: report }))).toMatchObject({
    type: 'finished',
    room: 'parley-call-7',
    report: { outcome: 'busy', duration_s: 0, ended_at: '2026-11-21T09:31:00Z' },
  });
  for (const [told, duration_s] of [
    [61.4, 61.4],
    [-1, 0],
    [1e20, 0],
    ['61', 0],
  ])
    expect(await finished(JSON.stringify({ call: { ...report, duration_s: told } }))).toMatchObject({
      report: { outcome: 'busy', duration_s },
    });
  for (const [told, recording_follows] of [
    [true, true],
    [undefined, false],
    ['yes', false],
  ])
    expect(await finished(JSON.stringify({ call: { ...report, recording_follows: told } }))).toMatchObject({
      report: { outcome: 'busy', recording_follows },
    });
  const ended = '2026-11-21T09:31:01.000Z';
  for (const ended_at of [
    ...['9999-12-31T23:30:00-01:00', '0000-01-01T00:00:00+01:00', '2026-11-21T09:31:00', 7],
    ...['1764151242', '2026-11-21T09:31:00+00:00Z', 'just now', ''],
  ])
    expect(await finished(JSON.stringify({ call: { ...report, duration_s: 61, ended_at } }))).toMatchObject({
      report: { outcome: 'busy', duration_s: 61, ended_at: ended },
    });
  for (const metadata of ['', 'not JSON', '{"call":{"outcome":"odd"}}', '[]'])
    expect(await finished(metadata)).toMatchObject({ type: 'finished', report: null });
});

test.each([
  ['', []],
  ['{"call_id":7}', []],
  ['{"call":{"direction":"outbound","from":"+1","to":"+2","outcome":"busy"}}', []],
  [
    '{"call":{"direction":"outbound","from":"+1","outcome":"no_answer"}}',
    [/^to: .*; outcome: .*"no-answer"/],
  ],
  ['{"call":"completed"}', [/object/]],
])('of what an agent has left as its report it is told why it cannot be read: %s', async (metadata, told) => {
  const faults: string[] = [];
  const finished = event('room_finished', { room: { ...room, metadata } });
  await read(finished, undefined, (fault) => faults.push(fault));
  expect(faults).toEqual(told.map((fault) => expect.stringMatching(fault)));
});

test('a recording is told with its room', async () => {
  const egressInfo = { roomName: 'parley-call-7', fileResults: [{ location: 'https://example.com/7.mp3' }] };
  expect(await read(event('egress_ended', { egressInfo }))).toEqual({
    kind: 'event',
    event: { type: 'recorded', room: 'parley-call-7', recordingUrl: 'https://example.com/7.mp3' },
  });
});
