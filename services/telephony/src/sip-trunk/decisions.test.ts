import { reject } from '@parley/contracts';
import { expect, test } from 'vitest';
import { createSipTrunk, deleteSipTrunk, updateSipTrunk } from './decisions.ts';
import { newSettings } from './settings.ts';
import { type SipTrunk, sipTrunk } from './sip-trunk.ts';

const now = new Date('2026-11-21T09:30:00.000Z');
const input = {
  phone_number: '+4930901820',
  sip_username: 'acme',
  sip_password: 'not to be kept here',
  sip_address: 'SIP.example.com',
  country_code: 'DE',
};
const ids = { inbound_trunk_id: 'ST_in', outbound_trunk_id: 'ST_out' };

function created() {
  const settings = newSettings(input);
  if ('code' in settings) throw new Error('These are settings.');
  return createSipTrunk(null, { accountId: 1, id: 7, now, settings, ids });
}
const trunk = (): SipTrunk => created().events.reduce(sipTrunk.evolve, null);
const update = (change: object, isNewPassword = false, at = ids) =>
  updateSipTrunk(trunk(), { accountId: 1, now, change, isNewPassword, ids: at });

test('nothing of a password is in what is decided', () => {
  const text = JSON.stringify([created(), update({ sip_password: 'not to be kept here' }, true)]);
  expect(text).not.toContain('not to be kept');
  expect(text).toContain('SipTrunkPasswordChanged');
});

test('a duplicate is the same number, username and address, however the address is written', () => {
  const key = '["+4930901820","acme","sip.example.com"]';
  expect(created().claims).toEqual([{ op: 'take', scope: 'sip-trunk:1', key, owner: 'sip-trunk-7' }]);
  expect(update({ nickname: 'Office', sip_address: 'sip.EXAMPLE.com' })).toMatchObject({ claims: [] });
  expect(update({ sip_username: 'other' })).toMatchObject({
    claims: [
      { op: 'release', key },
      { op: 'take', key: '["+4930901820","other","sip.example.com"]' },
    ],
  });
  expect(deleteSipTrunk(trunk(), 1)).toMatchObject({ claims: [{ op: 'release', key }] });
});

test('a change keeps what is not sent, and one that changes nothing is no event', () => {
  expect(update({ sip_username: 'acme', nickname: null })).toMatchObject({ events: [] });
  expect(update({ nickname: 'Office' })).toMatchObject({
    events: [{ type: 'SipTrunkChanged', data: { id: 7, nickname: 'Office', updated_at: now.toISOString() } }],
    reply: { data: { nickname: 'Office', sip_username: 'acme' } },
  });
});

test.each([{ inbound_trunk_id: 'ST_new' }, { outbound_trunk_id: 'ST_new' }])(
  'new ids at the platform (%j) are on record, also when nothing else changes',
  (change) => {
    const made = { ...ids, ...change };
    const updated_at = now.toISOString();
    expect(update({}, false, made)).toMatchObject({
      events: [{ type: 'SipTrunkRemade', data: { id: 7, ...made, updated_at } }],
      reply: { data: { ...made, sip_username: 'acme', updated_at } },
    });
  },
);

test('calls that come in by another trunk, or by this one again, make nothing anew', () => {
  const without = { ...ids, inbound_trunk_id: '' };
  const lost = update({}, false, without);
  expect(lost).toMatchObject({
    events: [{ type: 'SipTrunkInboundChanged', data: { id: 7, inbound_trunk_id: '' } }],
    reply: { data: without },
  });
  const state = 'events' in lost ? lost.events.reduce(sipTrunk.evolve, trunk()) : null;
  expect(
    updateSipTrunk(state, { accountId: 1, now, change: {}, isNewPassword: false, ids: without }),
  ).toMatchObject({ events: [] });
  expect(updateSipTrunk(state, { accountId: 1, now, change: {}, isNewPassword: false, ids })).toMatchObject({
    events: [{ type: 'SipTrunkInboundChanged', data: { id: 7, inbound_trunk_id: 'ST_in' } }],
  });
});

test('addresses are needed by trunks that know their callers by them, and kept by no others', () => {
  const ip = { inbound_authorization_type: 'ip' };
  expect(update(ip)).toMatchObject({
    code: 'invalid',
    fields: { allowed_inbound_ips: [expect.any(String)] },
  });
  const allowed_inbound_ips = ['203.0.113.7'];
  expect(update({ ...ip, allowed_inbound_ips })).toMatchObject({ reply: { data: { allowed_inbound_ips } } });
  const ignored = update({ allowed_inbound_ips });
  expect(ignored).toMatchObject({ events: [] });
  expect(ignored).not.toHaveProperty('reply.data.allowed_inbound_ips');
});

test('what is deleted is gone', () => {
  const gone = [...created().events, { type: 'SipTrunkDeleted', data: { id: 7 } } as const].reduce(
    sipTrunk.evolve,
    null,
  );
  expect(gone).toBeNull();
  expect(deleteSipTrunk(gone, 1)).toMatchObject({ code: 'not_found' });
});

test('a trunk that is not there is not found, and an id is given out once', () => {
  expect(updateSipTrunk(null, { accountId: 1, now, change: {}, isNewPassword: true, ids })).toEqual(
    reject('not_found'),
  );
  expect(deleteSipTrunk(null, 1)).toEqual(reject('not_found'));
  const settings = newSettings(input);
  if ('code' in settings) throw new Error('These are settings.');
  expect(() => createSipTrunk(trunk(), { accountId: 1, id: 7, now, settings, ids })).toThrow('twice');
});
