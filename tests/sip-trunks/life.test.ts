import { randomUUID } from 'node:crypto';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { callingAssistant } from '../support/calls.ts';
import { sharedStack } from '../support/shared-stack.ts';
import {
  createSipTrunk,
  deletePlatformTrunks,
  platformTrunks,
  type SipTrunk,
  sipTrunkBody,
} from '../support/sip-trunks.ts';

const path = '/api/user/phone-numbers/sip-trunks';
const { sandboxUrl } = sharedStack();
const onPlatform = (trunk: { readonly phone_number: string }) => platformTrunks(sandboxUrl, trunk);

test('a trunk is created on the voice platform in both directions, read, listed, changed and deleted', async () => {
  const [api] = accountApis(await freshAccount());
  const body = sipTrunkBody();
  const created = await api.post(path, body);
  const { sip_password, ...shown } = body;
  const data = {
    id: expect.any(Number),
    ...shown,
    sip_calling_format: '+e164',
    inbound_authorization_type: 'auth',
    outbound_proxy: false,
    inbound_trunk_id: expect.stringMatching(/^ST_/),
    outbound_trunk_id: expect.stringMatching(/^ST_/),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    updated_at: expect.any(String),
  };
  expect([created.status, created.body]).toEqual([201, { message: 'SIP trunk created successfully', data }]);
  const trunk = (created.body as { data: SipTrunk }).data;
  expect(await onPlatform(trunk)).toMatchObject({
    inbound: [{ sipTrunkId: trunk.inbound_trunk_id, authUsername: 'acme', authPassword: sip_password }],
    outbound: [{ sipTrunkId: trunk.outbound_trunk_id, address: body.sip_address, destinationCountry: 'DE' }],
  });
  const got = await api.get(`${path}/${trunk.id}`);
  expect([got.status, got.body]).toEqual([200, { data: trunk }]);
  expect((await api.get(path)).body).toEqual({ data: [trunk] });

  const ips = ['203.0.113.7', '2001:db8::/48'];
  const change = { inbound_authorization_type: 'ip', allowed_inbound_ips: ips, nickname: null };
  const changed = await api.put(`${path}/${trunk.id}`, change);
  expect([changed.status, changed.body]).toMatchObject([
    200,
    { message: 'SIP trunk updated successfully', data: { ...change, sip_address: body.sip_address } },
  ]);
  expect((await onPlatform(trunk)).inbound).toMatchObject([{ allowedAddresses: ips, authPassword: '' }]);
  expect((await api.get(`${path}/${trunk.id}`)).body).toMatchObject({ data: change });
  // Addresses mean nothing to a trunk whose callers authenticate.
  const back = await api.put(`${path}/${trunk.id}`, {
    inbound_authorization_type: 'auth',
    sip_password: 'new',
  });
  expect(back.body).not.toHaveProperty('data.allowed_inbound_ips');
  expect((await onPlatform(trunk)).inbound).toMatchObject([{ allowedAddresses: [], authPassword: 'new' }]);

  const deleted = await api.delete(`${path}/${trunk.id}`);
  expect([deleted.status, deleted.body]).toEqual([200, { message: 'SIP trunk deleted successfully' }]);
  const gone = await api.get(`${path}/${trunk.id}`);
  expect([gone.status, gone.body]).toEqual([404, { error: 'SIP trunk not found.' }]);
  await eventually(async () => expect(await onPlatform(trunk)).toEqual({ inbound: [], outbound: [] }));
});

test('a trunk that is gone at the voice platform works again after its next change, which shows its new ids', async () => {
  const [api] = accountApis(await freshAccount());
  const trunk = await createSipTrunk(api);
  await deletePlatformTrunks(sandboxUrl, trunk);
  const changed = await api.put(`${path}/${trunk.id}`, { nickname: 'Front desk' });
  expect(changed.status).toBe(200);
  const { data } = changed.body as { data: SipTrunk };
  expect(data.inbound_trunk_id).not.toBe(trunk.inbound_trunk_id);
  expect((await api.get(`${path}/${trunk.id}`)).body).toEqual({ data });
  expect(await onPlatform(trunk)).toMatchObject({
    inbound: [{ sipTrunkId: data.inbound_trunk_id, name: 'Front desk' }],
    outbound: [{ sipTrunkId: data.outbound_trunk_id }],
  });
  expect((await api.put(`${path}/${trunk.id}`, { nickname: 'Desk' })).body).toMatchObject({
    data: { inbound_trunk_id: data.inbound_trunk_id, outbound_trunk_id: data.outbound_trunk_id },
  });
});

test('a trunk of the same number, username and address is refused, and leaves nothing on the platform', async () => {
  const [api] = accountApis(await freshAccount());
  const trunk = await createSipTrunk(api);
  const same = sipTrunkBody({ phone_number: trunk.phone_number, sip_address: 'SIP.example.com:5061' });
  const refused = await api.post(path, same);
  const exists = 'A SIP trunk with this number, username and address exists already.';
  expect([refused.status, refused.body]).toEqual([409, { error: exists }]);
  expect((await onPlatform(trunk)).inbound).toHaveLength(1);
  const other = await createSipTrunk(api, { phone_number: trunk.phone_number, sip_username: 'other' });
  const before = await onPlatform(trunk);
  expect(before.outbound.map(({ authUsername }) => authUsername)).toEqual(['acme', 'other']);
  for (const change of [{ sip_username: 'acme' }, { sip_username: 'acme', sip_password: 'new' }]) {
    const renamed = await api.put(`${path}/${other.id}`, change);
    expect([renamed.status, renamed.body]).toEqual([409, { error: exists }]);
    expect(await onPlatform(trunk)).toEqual(before);
  }
  expect((await accountApis(await freshAccount())[0].post(path, same)).status).toBe(201);
});

test('calls to a number come in by one trunk, and by the other once that is gone', async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const first = await createSipTrunk(api);
  const second = await createSipTrunk(stranger, { phone_number: first.phone_number });
  expect(second).toMatchObject({ inbound_trunk_id: '', outbound_trunk_id: expect.stringMatching(/^ST_/) });
  expect((await onPlatform(first)).inbound).toMatchObject([{ sipTrunkId: first.inbound_trunk_id }]);
  await api.delete(`${path}/${first.id}`);
  await eventually(async () => {
    const changed = await stranger.put(`${path}/${second.id}`, { nickname: 'Main line' });
    const { inbound_trunk_id } = (changed.body as { data: SipTrunk }).data;
    expect(inbound_trunk_id).toMatch(/^ST_/);
    expect((await onPlatform(first)).inbound).toMatchObject([{ sipTrunkId: inbound_trunk_id }]);
  });
  const audit = await stranger.get(`/api/user/history?resource=sip-trunk/${second.id}`);
  expect(JSON.stringify(audit.body)).toContain('SipTrunkInboundChanged');
});

test('twenty requests with one idempotency key make one trunk', async () => {
  const [api] = accountApis(await freshAccount());
  const body = sipTrunkBody();
  const headers = { 'idempotency-key': randomUUID() };
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(path, body, headers)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].every((status) => [201, 409, 503].includes(status))).toBe(true);
  const again = await api.post(path, body, headers);
  expect(again.status).toBe(201);
  expect(again.headers['idempotent-replayed']).toBe('true');
  const { outbound_trunk_id } = (again.body as { data: SipTrunk }).data;
  await eventually(async () => {
    const { inbound, outbound } = await onPlatform(body);
    expect(inbound.length).toBeLessThanOrEqual(1);
    expect(outbound).toMatchObject([{ sipTrunkId: outbound_trunk_id }]);
  });
});

test.each([
  [{ phone_number: '' }, 'phone_number'],
  [{ phone_number: '+49 30 1' }, 'phone_number'],
  [{ sip_calling_format: 'e.164' }, 'sip_calling_format'],
  [{ sip_address: 'https://sip.example.com' }, 'sip_address'],
  [{ sip_address: 'sip.example.com:99x' }, 'sip_address'],
  [{ sip_username: 'with space' }, 'sip_username'],
  [{ sip_password: '' }, 'sip_password'],
  [{ country_code: 'de' }, 'country_code'],
  [{ country_code: 'ZZ' }, 'country_code'],
  [{ outbound_proxy: 'yes' }, 'outbound_proxy'],
  [{ inbound_authorization_type: 'none' }, 'inbound_authorization_type'],
  [{ inbound_authorization_type: 'ip' }, 'allowed_inbound_ips'],
  [{ inbound_authorization_type: 'ip', allowed_inbound_ips: [] }, 'allowed_inbound_ips'],
  [{ inbound_authorization_type: 'ip', allowed_inbound_ips: ['1.2.3'] }, 'allowed_inbound_ips.0'],
])('%j is refused', async (change, field) => {
  const [api] = accountApis(await freshAccount());
  const { status, body } = await api.post(path, sipTrunkBody(change));
  expect(status).toBe(422);
  expect(body).toMatchObject({ errors: { [field]: [expect.any(String)] } });
});

test('what is required is named', async () => {
  const [api] = accountApis(await freshAccount());
  const { status, body } = await api.post(path, {});
  const required = ['phone_number', 'sip_username', 'sip_password', 'sip_address', 'country_code'];
  expect([status, Object.keys((body as { errors: object }).errors).sort()]).toEqual([422, required.sort()]);
});

test('a trunk changes and goes only at the version that If-Match names', async () => {
  const [api] = accountApis(await freshAccount());
  const trunk = await createSipTrunk(api);
  const one = `${path}/${trunk.id}`;
  const etag = String((await api.get(one)).headers.etag);
  const changed = await api.put(one, { nickname: 'A' }, { 'if-match': etag });
  expect(changed.status).toBe(200);
  expect((await api.put(one, { nickname: 'B' }, { 'if-match': etag })).status).toBe(412);
  expect((await api.delete(one, { 'if-match': etag })).status).toBe(412);
  expect((await api.get(one)).body).toMatchObject({ data: { nickname: 'A' } });
  expect((await api.delete(one, { 'if-match': String(changed.headers.etag) })).status).toBe(200);
  expect((await api.delete(one, { 'if-match': etag })).status).toBe(404);
});

test('an assistant forgets the number of a deleted trunk at once', async () => {
  const [api] = accountApis(await freshAccount());
  const { id, trunk } = await callingAssistant(api, { type: 'inbound' });
  await api.delete(`${path}/${trunk.id}`);
  expect((await api.get(`/api/user/assistant/${id}`)).body).toMatchObject({
    data: { phone_number_id: null },
  });
});

test('the server of the installation’s own line to its carrier is nobody’s: there, calls could come from any number', async () => {
  const [api] = accountApis(await freshAccount());
  const refused = {
    message: 'The given data was invalid.',
    errors: { sip_address: ['The sip address must be that of a SIP server of your own.'] },
  };
  const { id } = await createSipTrunk(api);
  const carriers = { sip_address: 'Parley.pstn.dublin.twilio.com:5061' };
  for (const answer of [
    await api.post(path, sipTrunkBody(carriers)),
    await api.put(`${path}/${id}`, carriers),
  ])
    expect([answer.status, answer.body]).toEqual([422, refused]);
  expect((await api.put(`${path}/${id}`, { nickname: 'Other' })).status).toBe(200);
});
