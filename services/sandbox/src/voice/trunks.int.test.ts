import { AccessToken, SipClient } from 'livekit-server-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, sandboxDefaults, startTestSandbox, type TestSandbox } from '../sandbox.fixture.ts';

let sandbox: TestSandbox;
let sip: SipClient;
const key = sandboxDefaults.LIVEKIT_API_KEY;
const secret = sandboxDefaults.LIVEKIT_API_SECRET.reveal();
const ours = '+14155552671';

beforeAll(async () => {
  sandbox = await startTestSandbox();
  sip = new SipClient(sandbox.url, key, secret);
});
afterAll(() => sandbox.close());

const outboundTrunk = () =>
  sip.createSipOutboundTrunk('Acme', 'sip.example.com', [ours], {
    transport: 0,
    authUsername: 'acme',
    authPassword: 'secret',
  });

describe('trunks', () => {
  test('are created, listed, changed and deleted by the official SDK', async () => {
    const inbound = await sip.createSipInboundTrunk('Acme', [ours], {
      allowedAddresses: ['192.0.2.1'],
      metadata: 'trunk-7',
    });
    expect(inbound).toMatchObject({ name: 'Acme', numbers: [ours], allowedAddresses: ['192.0.2.1'] });
    const outbound = await outboundTrunk();
    expect(outbound).toMatchObject({ address: 'sip.example.com', authUsername: 'acme' });
    const changed = await sip.updateSipInboundTrunkFields(inbound.sipTrunkId, { name: 'New name' });
    expect(changed).toMatchObject({
      sipTrunkId: inbound.sipTrunkId,
      name: 'New name',
      numbers: [ours],
      allowedAddresses: ['192.0.2.1'],
      metadata: 'trunk-7',
    });
    outbound.address = 'sip2.example.com';
    expect(await sip.updateSipOutboundTrunk(outbound.sipTrunkId, outbound)).toMatchObject({
      sipTrunkId: outbound.sipTrunkId,
      address: 'sip2.example.com',
    });
    expect(await sip.listSipInboundTrunk({ trunkIds: [inbound.sipTrunkId] })).toHaveLength(1);
    expect(await sip.listSipOutboundTrunk({ numbers: ['+10000000000'] })).toEqual([]);
    await sip.deleteSipTrunk(inbound.sipTrunkId);
    await sip.deleteSipTrunk(outbound.sipTrunkId);
    await expect(sip.deleteSipTrunk(outbound.sipTrunkId)).rejects.toMatchObject({
      code: 'not_found',
      status: 404,
    });
  });

  test('change their lists by set, add and remove', async () => {
    const { sipTrunkId } = await sip.createSipInboundTrunk('Lists', [ours], {
      allowedAddresses: ['192.0.2.1'],
    });
    const token = new AccessToken(key, secret);
    token.addSIPGrant({ admin: true });
    const headers = { authorization: `Bearer ${await token.toJwt()}`, 'content-type': 'application/json' };
    const update = {
      allowed_addresses: { set: ['198.51.100.7', '198.51.100.8'] },
      numbers: { add: ['+14155552672'], remove: [ours] },
    };
    const answer = await ask(`${sandbox.url}/twirp/livekit.SIP/UpdateSIPInboundTrunk`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sip_trunk_id: sipTrunkId, update }),
    });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        sip_trunk_id: sipTrunkId,
        allowed_addresses: ['198.51.100.7', '198.51.100.8'],
        numbers: ['+14155552672'],
      },
    });
    await sip.deleteSipTrunk(sipTrunkId);
  });

  test('are refused when calls to their number come in by another already, whatever its credentials', async () => {
    const number = '+14155552699';
    const first = await sip.createSipInboundTrunk('First', [number], {
      authUsername: 'a',
      authPassword: 'a',
    });
    const conflict = { code: 'invalid_argument', message: expect.stringContaining(first.sipTrunkId) };
    const second = { allowedAddresses: ['192.0.2.1'] };
    await expect(sip.createSipInboundTrunk('Second', [number], second)).rejects.toMatchObject(conflict);
    const other = await sip.createSipInboundTrunk('Other', ['+14155552698'], second);
    other.numbers = [number];
    await expect(sip.updateSipInboundTrunk(other.sipTrunkId, other)).rejects.toMatchObject(conflict);
    first.name = 'Changed';
    await expect(sip.updateSipInboundTrunk(first.sipTrunkId, first)).resolves.toMatchObject({
      name: 'Changed',
    });
    await sip.deleteSipTrunk(first.sipTrunkId);
    await expect(sip.updateSipInboundTrunk(other.sipTrunkId, other)).resolves.toMatchObject({
      numbers: [number],
    });
    await sip.deleteSipTrunk(other.sipTrunkId);
  });

  test('of one line are found however its number is written, and taken when that differs', async () => {
    const access = { allowedAddresses: ['192.0.2.1'] };
    const spellings = ['+14155552697', '14155552697', '+1-415-5552697'];
    for (const number of spellings) await sip.createSipInboundTrunk(number, [number], access);
    for (const number of spellings) {
      const found = await sip.listSipInboundTrunk({ numbers: [number] });
      expect(found.map(({ name }) => name)).toEqual(spellings);
    }
    for (const { sipTrunkId } of await sip.listSipInboundTrunk({ numbers: spellings }))
      await sip.deleteSipTrunk(sipTrunkId);
  });

  test('have dispatch rules', async () => {
    const rule = await sip.createSipDispatchRule(
      { type: 'individual', roomPrefix: 'call-' },
      { name: 'calls' },
    );
    expect(rule).toMatchObject({ name: 'calls', sipDispatchRuleId: expect.stringMatching(/^SDR_/) });
    expect(await sip.listSipDispatchRule()).toHaveLength(1);
    await sip.deleteSipDispatchRule(rule.sipDispatchRuleId);
    expect(await sip.listSipDispatchRule()).toEqual([]);
  });

  test('are refused when they say nothing, without the key, and by order', async () => {
    await expect(sip.createSipOutboundTrunk('Acme', '', [ours])).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    const stranger = new SipClient(sandbox.url, key, 'a secret of nobody in this whole place');
    await expect(stranger.listSipInboundTrunk()).rejects.toMatchObject({ status: 401 });
    const order = { provider: 'voice', operation: 'create_trunk', times: 1 };
    await sandbox.control('faults', { ...order, mode: 'reject' });
    await expect(outboundTrunk()).rejects.toMatchObject({ status: 400 });
    await sandbox.control('faults', { ...order, mode: 'error' });
    await expect(outboundTrunk()).rejects.toMatchObject({ status: 500, code: 'internal' });
  });
});
