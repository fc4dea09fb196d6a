import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { callIn, callingAssistant, endCall, fund, makeCall } from '../support/calls.ts';
import { readRows } from '../support/database.ts';
import { filesWith, placesOf, tablesWith } from '../support/dump.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { sipTrunkBody } from '../support/sip-trunks.ts';

/** ADR 7: webhook secrets are kept as they are, there and nowhere else. */
const exempt = 'assistants: secrets.webhook_keys';

test('no password, key or webhook secret is in a log, an event, a view or an answer', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  await fund(api);
  const answers: string[] = [];
  const keep = <A extends { readonly text: string }>(answer: A): A => {
    answers.push(answer.text);
    return answer;
  };
  const path = '/api/user/phone-numbers/sip-trunks';
  const body = sipTrunkBody({ nickname: 'canary-of-secrets' });
  const { id } = (keep(await api.post(path, body)).body as { data: { id: number } }).data;
  const changed = `changed-${body.sip_password}`;
  keep(await api.put(`${path}/${id}`, { sip_password: changed, nickname: 'canary-of-secrets 2' }));
  keep(await api.put(`${path}/${id}`, { sip_password: changed, sip_address: 'not an address' }));
  keep(await api.post(path, { ...body, sip_password: [body.sip_password] }));
  for (const read of [
    path,
    `${path}/${id}`,
    `/api/user/history?resource=sip-trunk/${id}`,
    '/api/user/events',
  ])
    keep(await api.get(read));
  const assistant = await callingAssistant(api, { phone_number_id: id });
  const call = await makeCall(api, assistant.id);
  await endCall(await callIn(api, call.id, 'ringing'), { outcome: 'completed', duration_s: 3 });
  await callIn(api, call.id, 'completed');
  const secret = JSON.stringify((await api.get('/api/user/webhook-secret')).body).match(/whsec_[^"]+/)?.[0];
  expect(secret).toBeTruthy();
  const secrets = [body.sip_password, changed, account.key, secret ?? '', 'sandbox-livekit-secret-of-32'];
  for (const hidden of secrets) expect(answers.filter((text) => text.includes(hidden))).toEqual([]);
  expect((await placesOf(...secrets)).filter((place) => place !== exempt)).toEqual([]);
  // What is no secret is found: the search does search.
  expect(await tablesWith('telephony', 'canary-of-secrets')).toContain('telephony: es.events');
  await eventually(() => expect(filesWith('canary-of-secrets').length).toBeGreaterThan(0));
});

test('a password is at rest sealed, and named by the key that seals it', async () => {
  const [api] = accountApis(await freshAccount());
  const { body } = await api.post('/api/user/phone-numbers/sip-trunks', sipTrunkBody());
  const { id } = (body as { data: { id: number } }).data;
  const rows = await readRows<{ sealed: string }>(
    'telephony',
    `select sealed from secrets.sip_passwords where trunk_id = ${id}`,
  );
  const [keyId] = JSON.parse(readFileSync(join(sharedStack().home, 'home.json'), 'utf8')).secrets_keys.split(
    ':',
  );
  expect(rows).toEqual([
    { sealed: expect.stringMatching(new RegExp(`^s1\\.${keyId}\\.[A-Za-z0-9_-]{40,}$`)) },
  ]);
});
