import { automationJsonSchema } from '@parley/contracts';
import { expect, test } from 'vitest';
import { accountApis, freshAccount, gatewayUrls } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { callWebhook, createAutomation, mapFlow, onlyRun, runsOf } from '../support/automations.ts';

const apis = async () => accountApis(await freshAccount());
const path = '/api/user/automate/flows';

test('an automation is created, listed, changed version by version, and deleted', async () => {
  const [api, other] = await apis();
  const first = await createAutomation(api, mapFlow(), { name: 'First' });
  expect(first).toMatchObject({
    status: 'enabled',
    webhook_url: expect.stringContaining('/hooks/automations/'),
  });
  const second = await createAutomation(
    api,
    { trigger: { type: 'call.completed' }, steps: mapFlow().steps },
    { name: 'Second', enabled: false, assistant_id: 12 },
  );
  expect(second).toMatchObject({ status: 'disabled', webhook_url: null });
  const unbound = { assistant_id: null, campaign_id: null, sender_id: null };
  expect((await other.get(path)).body).toEqual({
    data: [
      {
        id: second.automation_id,
        name: 'Second',
        status: 'disabled',
        binding: { ...unbound, trigger: 'call.completed', assistant_id: 12 },
      },
      {
        id: first.automation_id,
        name: 'First',
        status: 'enabled',
        binding: { ...unbound, trigger: 'webhook.inbound' },
      },
    ],
  });
  const one = `${path}/${first.automation_id}`;
  const changed = await api.put(one, { name: 'Renamed', enabled: false, flow: mapFlow({ b: 2 }) });
  expect([changed.status, changed.body]).toEqual([
    200,
    {
      data: { id: first.automation_id, name: 'Renamed', status: 'disabled', version: 2 },
      webhook_url: first.webhook_url,
    },
  ]);
  expect((await api.put(one, { flow: mapFlow({ b: 2 }) })).body).toMatchObject({ data: { version: 2 } });
  expect((await other.get(one)).body).toMatchObject({
    data: { name: 'Renamed', version: 2, flow: mapFlow({ b: 2 }) },
  });
  expect((await other.get(`${one}?version=1`)).body).toMatchObject({ data: { version: 1, flow: mapFlow() } });
  expect((await other.get(`${one}?version=3`)).status).toBe(404);
  const triggered = (type: string) => api.put(one, { flow: { ...mapFlow(), trigger: { type } } });
  expect((await triggered('call.completed')).body).toMatchObject({ webhook_url: null });
  expect((await triggered('webhook.inbound')).body).toMatchObject({ webhook_url: first.webhook_url });
  expect((await api.delete(one)).status).toBe(200);
  for (const answer of [
    await api.get(one),
    await api.put(one, { name: 'x' }),
    await api.delete(one),
    await other.get(`${one}/runs`),
  ])
    expect([answer.status, answer.body]).toMatchObject([404, { message: 'Automation not found' }]);
});

test('a definition that cannot run is refused with a code and every field that is wrong', async () => {
  const [api] = await apis();
  const create = async (flow: unknown) => {
    const { status, body } = await api.post(path, { name: 'Test', flow });
    return [status, body];
  };
  expect(await create({ trigger: { type: 'lead.created' }, steps: [] })).toMatchObject([
    422,
    { error: 'no_steps' },
  ]);
  expect(await create({ trigger: { type: 'moon.full' }, steps: mapFlow().steps })).toMatchObject([
    422,
    { error: 'unsupported_trigger', errors: { 'flow.trigger.type': [expect.any(String)] } },
  ]);
  expect(await create(mapFlow({ a: '{{steps.later.output}}' }))).toEqual([
    422,
    {
      message: 'The definition is not valid.',
      error: 'invalid_definition',
      errors: {
        'flow.steps.0.input': ['"steps.later.output" reads a step that does not run before this one.'],
      },
    },
  ]);
  expect(await create(undefined)).toMatchObject([
    422,
    { error: 'invalid_definition', errors: { flow: [expect.any(String)] } },
  ]);
  const { automation_id: id } = await createAutomation(api, mapFlow());
  for (const body of [{}, { flow: { ...mapFlow(), steps: [] } }, { name: '' }])
    expect((await api.put(`${path}/${id}`, body)).status, JSON.stringify(body)).toBe(422);
  expect((await api.get(path)).body).toMatchObject({ data: [{ id }] });
});

test('only an enabled automation starts runs, each by the version of its day', async () => {
  const [api] = await apis();
  const { automation_id: id, webhook_url: url } = await createAutomation(api, mapFlow(), { enabled: false });
  const call = () => callWebhook(url, { n: 1 });
  // Whoever sends does nothing wrong, and does not give the address up.
  const passedOver = { status: 200, body: { received: true, run_id: null } };
  expect(await call()).toMatchObject(passedOver);
  await api.put(`${path}/${id}`, { enabled: true });
  expect((await call()).status).toBe(200);
  expect(await onlyRun(api, id, 'SUCCEEDED')).toMatchObject({
    steps: [{ name: 'map', status: 'SUCCEEDED', classification: 'ok' }],
  });
  await api.put(`${path}/${id}`, { enabled: false });
  expect(await call()).toMatchObject(passedOver);
  expect(await runsOf(api, id)).toHaveLength(1);
});

test('an If-Match holds until the automation changes, whatever is noted of what did not run', async () => {
  const [api] = await apis();
  const { automation_id: id, webhook_url: url } = await createAutomation(api, mapFlow());
  const one = `${path}/${id}`;
  const seen = { 'if-match': String((await api.get(one)).headers.etag) };
  expect((await callWebhook(url, { n: 1 }, { 'x-parley-chain-depth': '9' })).status).toBe(404);
  const history = `/api/user/history?resource=automation/${id}&type=AutomationTriggerRefused`;
  expect((await api.get(history)).body).toMatchObject({ data: [{ version: expect.any(Number) }] });
  const renamed = await api.put(one, { name: 'Renamed' }, seen);
  expect([renamed.status, renamed.body]).toMatchObject([200, { data: { name: 'Renamed' } }]);
  expect((await api.put(one, { name: 'Renamed again' }, seen)).status).toBe(412);
  expect((await api.delete(one, seen)).status).toBe(412);
  expect((await api.delete(one, { 'if-match': String(renamed.headers.etag) })).status).toBe(200);
});

test('a repeated creation is one automation, answered with the same address', async () => {
  const [api, other] = await apis();
  const body = { name: 'Once', flow: mapFlow() };
  const headers = { 'idempotency-key': 'create-once' };
  const [first, again] = [await api.post(path, body, headers), await other.post(path, body, headers)];
  expect(again.headers['idempotent-replayed']).toBe('true');
  const [a, b] = [first.body, again.body] as [{ webhook_url: string }, { webhook_url: string }];
  expect(new URL(b.webhook_url).pathname).toBe(new URL(a.webhook_url).pathname);
  expect((await api.get(path)).body).toMatchObject({ data: [{ name: 'Once' }] });
});

test('a change that was made is answered as it was, also when the automation has been deleted since', async () => {
  const [api, other] = await apis();
  const { automation_id: id } = await createAutomation(api, mapFlow());
  const headers = { 'idempotency-key': `rename ${id}` };
  const first = await api.put(`${path}/${id}`, { name: 'Renamed' }, headers);
  await api.delete(`${path}/${id}`);
  const again = await other.put(`${path}/${id}`, { name: 'Renamed' }, headers);
  expect([again.status, again.body]).toMatchObject([200, { data: (first.body as { data: object }).data }]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await api.put(`${path}/${id}`, { name: 'Renamed' })).status).toBe(404);
});

test('a trial that starts a run is one command: answered the same, and never for another sample', async () => {
  const [api, other] = await apis();
  const { automation_id: id } = await createAutomation(api, mapFlow({ n: '{{trigger.n}}' }));
  const headers = { 'idempotency-key': `try ${id}` };
  const trial = (as: Api, n: number) =>
    as.post(`${path}/${id}/test`, { sample: { n }, confirm_side_effects: true }, headers);
  const [first, again, reused] = [await trial(api, 1), await trial(other, 1), await trial(api, 2)];
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect([reused.status, reused.body]).toMatchObject([422, { error: 'idempotency_key_reuse' }]);
  const { run_id: runId } = first.body as { run_id: string };
  expect((await onlyRun(api, id, 'SUCCEEDED')).id).toBe(runId);
  const { body } = await api.get(`/api/user/history?resource=run/${runId}&type=RunStarted`);
  expect(body).toMatchObject({
    data: [{ actor: { kind: 'api_key' }, summary: expect.stringMatching(/^Somebody tried/) }],
  });
});

test('a dry run is answered the same to whoever repeats it with its key, after saving as well', async () => {
  const [api, other] = await apis();
  const flow = mapFlow({ at: '{{now}}' });
  const create = (as: Api, key: string) =>
    as.post(path, { name: 'Told', flow, sample: {} }, { 'idempotency-key': key });
  const created = await create(api, 'create');
  const { automation_id: id, test: told } = created.body as { automation_id: number; test: object };
  expect(told).toMatchObject({ run_id: null, steps: [{ output: { at: expect.any(String) } }] });
  expect((await create(api, 'create')).text).toBe(created.text);
  const atThatVersion = { 'idempotency-key': 'update', 'if-match': String(created.headers.etag) };
  const update = (as: Api) => as.put(`${path}/${id}`, { name: 'Retold', sample: {} }, atThatVersion);
  const updated = await update(api);
  expect([updated.status, (await update(api)).text]).toEqual([200, updated.text]);
  const trial = (as: Api, sample: object) =>
    as.post(`${path}/${id}/test`, { sample }, { 'idempotency-key': 'try' });
  const first = await trial(api, {});
  const again = await trial(other, {});
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await trial(other, { n: 1 })).status).toBe(422);
});

test('a dry run says what every step would do, and does nothing', async () => {
  const [api] = await apis();
  const { automation_id: id } = await createAutomation(api, {
    trigger: { type: 'lead.created', filter: { op: 'eq', left: '{{trigger.n}}', right: 1 } },
    steps: [
      { id: 'wait', type: 'delay', for: 'P1D' },
      { id: 'ask', type: 'http.request', input: { method: 'GET', url: 'https://example.com/{{trigger.n}}' } },
      {
        id: 'map',
        type: 'data.map',
        input: { status: '{{steps.ask.output.status}}', gone: '{{trigger.missing}}' },
      },
    ],
  });
  const { status, headers, body } = await api.post(`${path}/${id}/test`, { sample: { n: 1 } });
  expect(headers['x-event-position']).toMatch(/./);
  expect([status, body]).toMatchObject([
    200,
    {
      run_id: null,
      matches: true,
      steps: [
        { name: 'wait', input: { for: 'P1D' }, error: null },
        { name: 'ask', input: { method: 'GET', url: 'https://example.com/1' }, output: { status: 200 } },
        { name: 'map', error: '[MAPPING_UNRESOLVED] There is no trigger.missing.' },
      ],
    },
  ]);
  expect(await runsOf(api, id)).toEqual([]);
});

test('the format is published as JSON Schema', async () => {
  const { status, headers, body } = await createApi(gatewayUrls()[0] ?? '').get('/schemas/automation.json');
  expect([status, headers['content-type']]).toEqual([200, 'application/schema+json; charset=utf-8']);
  expect(body).toEqual(JSON.parse(JSON.stringify(automationJsonSchema())));
});
