import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, freshAccount, freshApi, gatewayUrls } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import {
  callWebhook,
  createAutomation,
  mapFlow,
  onlyRun,
  runsOf,
  startReceiver,
} from '../support/automations.ts';
import { makeOne } from '../support/resources.ts';

/** Its run fails with every event that has no `a`. */
const fragile = (api: Api) => createAutomation(api, mapFlow({ a: '{{trigger.body.a}}' }));

async function receiver(status = 200) {
  const outside = await startReceiver(() => ({ status }));
  onTestFinished(() => outside.close());
  return { url: outside.url, told: () => outside.received.map(({ body }) => JSON.parse(body)) };
}

const tells = (url: string, trigger: object = {}) => ({
  trigger: { type: 'run.failed', ...trigger },
  steps: [{ id: 'tell', type: 'http.request', input: { method: 'POST', url, json: '{{trigger}}' } }],
});

test('a run that fails is told to whom its automation concerns, once each time', async () => {
  const api = await freshApi();
  const outside = await receiver();
  const [own, other] = [await fragile(api), await fragile(api)];
  const id = Number(own.automation_id);
  const watcher = await createAutomation(api, tells(outside.url, { automation_id: id }));
  await callWebhook(other.webhook_url, {});
  await callWebhook(own.webhook_url, { a: 1 });
  await onlyRun(api, other.automation_id, 'FAILED');
  await callWebhook(own.webhook_url, {});
  const [run] = await eventually(async () => {
    const failed = (await runsOf(api, own.automation_id)).filter(({ status }) => status === 'FAILED');
    expect(failed).toHaveLength(1);
    return failed;
  });
  await eventually(() => expect(outside.told()).toHaveLength(1));
  expect(outside.told()[0]).toMatchObject({
    automation_id: id,
    automation_name: 'Test',
    run_id: run?.id,
    step: { id: 'map', path: 'map', type: 'data.map' },
    error: expect.stringMatching(/^\[MAPPING_UNRESOLVED\] /),
    classification: 'wiring_error',
    started_at: run?.start_time,
    failed_at: expect.any(String),
    retries: 0,
    retry: { possible: true, reason: null, from_step: 'map' },
  });
  const retry = await api.post(`/api/user/automate/flows/${id}/runs/${run?.id}/retry`);
  expect(retry.body).toMatchObject({ status: 'FAILED' });
  await eventually(() => expect(outside.told().map(({ retries }) => retries)).toEqual([0, 1]));
  await eventually(async () =>
    expect((await runsOf(api, watcher.automation_id)).map(({ status }) => status)).toEqual([
      'SUCCEEDED',
      'SUCCEEDED',
    ]),
  );
  const list = await api.get('/api/user/automate/flows');
  expect((list.body as { data: object[] }).data[0]).toMatchObject({
    binding: { trigger: 'run.failed', automation_id: id },
  });
});

test('a run that tells of failures and fails itself is told to nobody', async () => {
  const api = await freshApi();
  const outside = await receiver(422);
  const { webhook_url } = await fragile(api);
  const { automation_id: one } = await createAutomation(api, tells(outside.url));
  const { automation_id: two } = await createAutomation(api, tells(outside.url));
  await callWebhook(webhook_url, {});
  for (const id of [one, two]) await onlyRun(api, id, 'FAILED');
  // Whatever comes after it is heard of after it.
  await callWebhook(webhook_url, {});
  for (const id of [one, two])
    await eventually(async () =>
      expect((await runsOf(api, id)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED']),
    );
  expect(outside.told()).toHaveLength(4);
});

test('retries that failures ask for come to an end', async () => {
  const account = await freshAccount();
  const [api] = accountApis(account);
  const { automation_id: failing, webhook_url } = await fragile(api);
  const connection = await makeOne(api, '/api/user/automate/connections', {
    name: 'Own key',
    kind: 'http_bearer',
    secret: account.key,
  });
  const url = `${gatewayUrls()[0]}/api/user/automate/flows/${failing}/runs/{{trigger.run_id}}/retry`;
  const { automation_id: id } = await createAutomation(api, {
    connections: { own: { kind: 'http_bearer', id: connection } },
    trigger: { type: 'run.failed' },
    steps: [
      { id: 'wait', type: 'delay', for: 'PT1S' },
      { id: 'again', type: 'http.request', connection: 'own', input: { method: 'POST', url, json: {} } },
    ],
  });
  await callWebhook(webhook_url, {});
  const history = `/api/user/history?resource=automation/${id}&type=AutomationTriggerRefused`;
  try {
    await eventually(async () => expect((await api.get(history)).body).toMatchObject({ data: [{}] }));
    // Depths 1 to 8.
    expect(await runsOf(api, id)).toHaveLength(8);
  } finally {
    await api.put(`/api/user/automate/flows/${id}`, { enabled: false });
  }
});
