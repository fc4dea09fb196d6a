import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { accountApis, freshAccount, freshApi } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAssistant, getAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow, onlyRun, runsOf } from '../support/automations.ts';
import { callIn, callingAssistant, endCall, fund, makeCall } from '../support/calls.ts';
import { control, freshCustomerNumber } from '../support/chat-platform.ts';
import { makeOne } from '../support/resources.ts';
import { ownNumber } from '../support/telephony.ts';

/** What a request to create or change an automation may hold beside its definition. */
const path = '/api/user/automate/flows';

test('with a sample the answer says what every step would do, and nothing is done', async () => {
  const api = await freshApi();
  const flow = { ...mapFlow({ order: '{{trigger.order}}' }), trigger: { type: 'lead.created' } };
  const created = await api.post(path, { name: 'Tried', flow, sample: { order: 7 } });
  expect([created.status, created.body]).toMatchObject([
    201,
    { test: { run_id: null, matches: true, steps: [{ name: 'map', output: { order: 7 }, error: null }] } },
  ]);
  const { automation_id: id } = created.body as { automation_id: string };
  const filter = { op: 'eq', left: '{{trigger.order}}', right: 8 };
  const changed = await api.put(`${path}/${id}`, {
    flow: { ...flow, trigger: { ...flow.trigger, filter } },
    sample: {},
  });
  expect([changed.status, changed.body]).toMatchObject([
    200,
    {
      data: { version: 2 },
      test: {
        run_id: null,
        matches: false,
        steps: [{ error: '[MAPPING_UNRESOLVED] There is no trigger.order.' }],
      },
    },
  ]);
  expect(await runsOf(api, id)).toEqual([]);
});

test('with a sample and confirm_side_effects one run is started, however often the request is told', async () => {
  const [api, other] = accountApis(await freshAccount());
  const flow = mapFlow({ order: '{{trigger.order}}' });
  const body = { name: 'Tried', flow, sample: { order: 7 }, confirm_side_effects: true };
  const headers = { 'idempotency-key': 'try-once' };
  const created = await api.post(path, body, headers);
  const again = await other.post(path, body, headers);
  expect(again.body).toMatchObject({ test: (created.body as { test: object }).test });
  const { automation_id: id, test: tried } = created.body as {
    automation_id: string;
    test: { run_id: string };
  };
  expect(await onlyRun(api, id, 'SUCCEEDED')).toMatchObject({ id: tried.run_id });
  // One that is turned off starts none, whoever confirms.
  const off = await api.post(path, { ...body, enabled: false });
  expect(off.body).toMatchObject({ status: 'disabled', test: { run_id: null, steps: [{ name: 'map' }] } });
});

test('with bind_webhook the calls of the assistant come to the webhook of the automation', async () => {
  const api = await freshApi();
  const number = await ownNumber(api);
  const assistant = await createAssistant(api, { type: 'inbound', phone_number_id: number.id });
  await api.put(`/api/user/assistant/${assistant}`, { status: 'active' });
  const flow = mapFlow({ event: '{{trigger.body.event}}', id: '{{trigger.body.assistant_id}}' });
  const { automation_id: id, webhook_url: url } = await createAutomation(api, flow, {
    assistant_id: assistant,
    bind_webhook: true,
  });
  expect(await getAssistant(api, assistant)).toMatchObject({ is_webhook_active: true, webhook_url: url });
  const call = { direction: 'inbound', to: number.phone_number, from: freshCustomerNumber(), duration_s: 5 };
  await control('calls', { ...call, outcome: 'completed' });
  await onlyRun(api, id, 'SUCCEEDED');
});

test('a run by a bound webhook has the recording, which comes after the call, where the assistant includes it', async () => {
  const api = await freshApi();
  await fund(api);
  const assistant = await callingAssistant(api, { include_recording_in_webhook: true });
  const recording_url = 'https://example.com/late.mp3';
  const filter = { op: 'eq', left: '{{trigger.body.recording_url}}', right: recording_url };
  const flow = { ...mapFlow(), trigger: { type: 'webhook.inbound', filter } };
  const bound = { assistant_id: assistant.id, bind_webhook: true };
  const { automation_id: id } = await createAutomation(api, flow, bound);
  const call = await callIn(api, (await makeCall(api, assistant.id)).id, 'ringing');
  await endCall(call, { outcome: 'completed', duration_s: 5, recording_url, recording_follows: true });
  await onlyRun(api, id, 'SUCCEEDED');
});

test('a creation with bind_webhook is answered as it was, also when the assistant has been deleted since', async () => {
  const api = await freshApi();
  const assistant = await createAssistant(api);
  const body = { name: 'Bound', flow: mapFlow(), assistant_id: assistant, bind_webhook: true };
  const headers = { 'idempotency-key': 'bind-once' };
  const first = await api.post(path, body, headers);
  expect((await api.delete(`/api/user/assistant/${assistant}`)).status).toBe(200);
  const again = await api.post(path, body, headers);
  expect([again.status, again.text]).toEqual([201, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
});

test.each([
  ['deleted', (api: Api, id: string) => api.delete(`${path}/${id}`)],
  [
    'given another trigger',
    (api: Api, id: string) =>
      api.put(`${path}/${id}`, { flow: { ...mapFlow(), trigger: { type: 'lead.created' } } }),
  ],
])(
  'an automation that is %s leaves the assistants it was bound to, and no other webhook',
  async (_, leave) => {
    const api = await freshApi();
    const [bound, setAnew] = [await createAssistant(api), await createAssistant(api)];
    const { automation_id: id } = await createAutomation(api, mapFlow(), {
      assistant_id: setAnew,
      bind_webhook: true,
    });
    await api.put(`${path}/${id}`, { name: 'Both', assistant_id: bound, bind_webhook: true });
    const own = 'https://crm.example.com/calls';
    await api.post('/api/user/assistants/enable-webhook', { assistant_id: setAnew, webhook_url: own });
    expect(await getAssistant(api, bound)).toMatchObject({ is_webhook_active: true });
    expect((await leave(api, id)).status).toBe(200);
    const off = { is_webhook_active: false, webhook_url: null };
    await eventually(async () => expect(await getAssistant(api, bound)).toMatchObject(off));
    expect(await getAssistant(api, setAnew)).toMatchObject({ is_webhook_active: true, webhook_url: own });
  },
);

test('an automation that is bound to another assistant, or to none, leaves the one before; a repetition leaves nobody', async () => {
  const [api, other] = accountApis(await freshAccount());
  const [first, second] = [await createAssistant(api), await createAssistant(api)];
  const bindTo = { assistant_id: first, bind_webhook: true };
  const { automation_id: id } = await createAutomation(api, mapFlow(), bindTo);
  const change = async (body: object, key: string) => {
    const answers = await Promise.all(
      [api, other].map((each) => each.put(`${path}/${id}`, body, { 'idempotency-key': key })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  };
  const areBound = async () => {
    const both = await Promise.all([first, second].map((assistant) => getAssistant(api, assistant)));
    return both.map(({ is_webhook_active: isBound }) => isBound);
  };
  await change({ name: 'Renamed' }, 'rename');
  expect(await areBound()).toEqual([true, false]);
  await change({ name: 'Moved', assistant_id: second, bind_webhook: true }, 'move');
  expect(await areBound()).toEqual([false, true]);
  await change({ name: 'Free', bind_webhook: false }, 'free');
  expect(await areBound()).toEqual([false, false]);
  await change({ name: 'Back', ...bindTo }, 'back');
  await change({ name: 'Free', bind_webhook: false }, 'free');
  expect(await areBound()).toEqual([true, false]);
});

test('an assistant beside a call trigger is the one whose calls it listens to, with a definition or without', async () => {
  const api = await freshApi();
  const [first, second] = [await createAssistant(api), await createAssistant(api)];
  const flow = { ...mapFlow(), trigger: { type: 'call.completed' } };
  const { automation_id: id } = await createAutomation(api, flow, { assistant_id: first });
  const changed = await api.put(`${path}/${id}`, { name: 'Moved', assistant_id: second });
  expect([changed.status, changed.body]).toMatchObject([200, { data: { name: 'Moved', version: 2 } }]);
  expect((await api.get(`${path}/${id}`)).body).toMatchObject({
    data: { name: 'Moved', version: 2, binding: { assistant_id: second } },
  });
});

test('bind_webhook of an assistant that is not there, of none, or of a trigger without a webhook, changes nothing', async () => {
  const [api, stranger] = [await freshApi(), await freshApi()];
  const foreign = await createAssistant(stranger);
  for (const assistant_id of [999_999_999, foreign]) {
    const { status, body } = await api.post(path, {
      name: 'Bound',
      flow: mapFlow(),
      assistant_id,
      bind_webhook: true,
    });
    expect([status, body]).toMatchObject([
      422,
      { error: 'invalid_definition', errors: { assistant_id: ['There is no such assistant.'] } },
    ]);
  }
  for (const [trigger, field] of [
    ['lead.created', 'bind_webhook'],
    ['webhook.inbound', 'assistant_id'],
  ] as const) {
    const flow = { ...mapFlow(), trigger: { type: trigger } };
    const { status, body } = await api.post(path, { name: 'Bound', flow, bind_webhook: true });
    expect([status, body]).toMatchObject([422, { errors: { [field]: [expect.any(String)] } }]);
  }
  expect((await api.get(path)).body).toEqual({ data: [] });
  expect(await getAssistant(stranger, foreign)).toMatchObject({ is_webhook_active: false });
});

test('an assistant’s webhook is not bound to a trigger that wants a signature of another kind', async () => {
  const api = await freshApi();
  const assistant = await createAssistant(api);
  const shop = { name: 'Shop', kind: 'hmac_sha256', secret: 'shared-secret' };
  const connection = await makeOne(api, '/api/user/automate/connections', shop);
  const flow = {
    ...mapFlow(),
    trigger: { type: 'webhook.inbound', signature: { connection: 'shop', header: 'X-Signature' } },
    connections: { shop: { kind: 'hmac_sha256', id: connection } },
  };
  const { automation_id: id } = await createAutomation(api, flow);
  const bound = { name: 'Bound', assistant_id: assistant, bind_webhook: true };
  for (const refused of [await api.post(path, { ...bound, flow }), await api.put(`${path}/${id}`, bound)])
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { error: 'invalid_definition', errors: { bind_webhook: [expect.stringContaining('signature')] } },
    ]);
  expect(await getAssistant(api, assistant)).toMatchObject({ is_webhook_active: false });
});
