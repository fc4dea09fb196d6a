import { eventually } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount, freshApi, gatewayUrls } from '../support/accounts.ts';
import {
  callWebhook,
  createAutomation,
  onlyRun,
  runOnce,
  runsOf,
  startReceiver,
} from '../support/automations.ts';
import { dataOf } from '../support/campaigns.ts';

describe('http.request', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    receiver = await startReceiver(({ url, headers }, count) => {
      const status = Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200);
      if (
        url.startsWith('/once-busy') &&
        !receiver.received.slice(0, count).some((earlier) => earlier.url === url)
      )
        return { status: 503 };
      // As Stripe: what it answered under a key it keeps, and only another one finds that the card works by now.
      if (url.startsWith('/kept') && keyOf(headers) === keyOf(at(url)[0]?.headers)) return { status: 402 };
      return {
        status,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ echo: receiver.received[count]?.headers.authorization ?? null }),
      };
    });
  });
  afterAll(() => receiver?.close());
  const step = (input: object, more: object = {}) => ({
    id: 'call',
    type: 'http.request',
    input: { method: 'POST', ...input },
    ...more,
  });
  const keyOf = (headers: Readonly<Record<string, string>> = {}) => headers['idempotency-key'];
  const at = (url: string) => receiver.received.filter((request) => request.url === url);

  test('calls once, with a key of its own, and reads what is answered', async () => {
    const api = await freshApi();
    const url = `${receiver.url}/orders?x=1`;
    const call = step({
      url,
      query: { y: '{{trigger.n}}' },
      json: { text: 'n = {{trigger.n}}' },
      headers: { 'X-Own': 'a' },
    });
    const steps = [
      call,
      {
        id: 'map',
        type: 'data.map',
        input: { s: '{{steps.call.output.status}}', e: '{{steps.call.output.body.echo}}' },
      },
    ];
    await runOnce(api, steps, { n: 3 }, 'SUCCEEDED');
    expect(at('/orders?x=1&y=3')).toMatchObject([
      {
        method: 'POST',
        body: '{"text":"n = 3"}',
        headers: {
          'content-type': 'application/json',
          'x-own': 'a',
          'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      },
    ]);
  });

  test('runs that start one another by webhooks are no more than nine deep', async () => {
    const api = await freshApi();
    const { automation_id: id, webhook_url: url } = await createAutomation(api, {
      trigger: { type: 'webhook.inbound' },
      steps: [step({ url: '{{trigger.body.url}}', json: { url: '{{trigger.body.url}}' } })],
    });
    expect((await callWebhook(url, { url })).status).toBe(200);
    await eventually(async () => {
      const statuses = (await runsOf(api, id)).map(({ status }) => status);
      expect(statuses).toEqual(['FAILED', ...Array.from({ length: 8 }, () => 'SUCCEEDED')]);
    });
    await api.put(`/api/user/automate/flows/${id}`, { enabled: false });
  });

  test('so are those that try their own automation over the API', async () => {
    const account = await freshAccount();
    const [api] = accountApis(account);
    const key = { name: 'Own key', kind: 'http_bearer', secret: account.key };
    const { id: connection } = dataOf<{ id: number }>(await api.post('/api/user/automate/connections', key));
    const url = `${gatewayUrls()[0]}/api/user/automate/flows/{{run.automation_id}}/test`;
    const { automation_id: id, webhook_url } = await createAutomation(api, {
      connections: { own: { kind: 'http_bearer', id: connection } },
      trigger: { type: 'webhook.inbound' },
      steps: [step({ url, json: { confirm_side_effects: true } }, { connection: 'own' })],
    });
    await callWebhook(webhook_url, {});
    try {
      await eventually(async () => {
        const statuses = (await runsOf(api, id)).map(({ status }) => status);
        expect(statuses).toEqual(['FAILED', ...Array.from({ length: 8 }, () => 'SUCCEEDED')]);
      });
    } finally {
      await api.put(`/api/user/automate/flows/${id}`, { enabled: false });
    }
  });

  test('tries again where that helps, with the same key', async () => {
    const api = await freshApi();
    await runOnce(api, [step({ url: `${receiver.url}/once-busy` })], {}, 'SUCCEEDED');
    const [first, second] = at('/once-busy');
    expect(at('/once-busy')).toHaveLength(2);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
  });

  test.each([
    [
      'another key, where the receiver refused it and may have kept its answer',
      '/kept',
      'SUCCEEDED',
      2,
    ] as const,
    ['the same key, where it may have been done', '/status/302?again', 'FAILED', 1] as const,
  ])('is retried under %s', async (_name, path, status, keys) => {
    const api = await freshApi();
    const failed = await runOnce(api, [step({ url: receiver.url + path })], {}, 'FAILED');
    await api.post(`/api/user/automate/flows/${failed.automationId}/runs/${failed.id}/retry`);
    await eventually(() => expect(at(path)).toHaveLength(2));
    await onlyRun(api, failed.automationId, status);
    expect(new Set(at(path).map(({ headers }) => keyOf(headers))).size).toBe(keys);
  });

  test.each([
    ['401', '/status/401', 'missing_connection', 'HTTP_401'],
    ['403', '/status/403', 'missing_connection', 'HTTP_403'],
    ['422', '/status/422', 'wiring_error', 'HTTP_422'],
    ['404', '/status/404', 'wiring_error', 'HTTP_404'],
    ['404 of a templated address', '/{{trigger.part}}/404', 'missing_record', 'HTTP_404'],
    ['a redirection', '/status/302', 'wiring_error', 'HTTP_302'],
  ])('%s fails the step as what it is, asked once', async (_name, path, classification, code) => {
    const api = await freshApi();
    const before = receiver.received.length;
    const run = await runOnce(api, [step({ url: receiver.url + path })], { part: 'status' }, 'FAILED');
    expect(run.steps).toMatchObject([{ classification, error: expect.stringContaining(`[${code}]`) }]);
    expect(receiver.received.length - before).toBe(1);
  });

  test('reaches no private address, and says so', async () => {
    const api = await freshApi();
    const url = 'http://169.254.169.254/latest';
    const run = await runOnce(api, [step({ url: '{{trigger.url}}' })], { url }, 'FAILED');
    expect(run.steps).toMatchObject([
      { classification: 'wiring_error', error: expect.stringContaining('[URL_REFUSED]') },
    ]);
  });

  test('shows a connection’s secret to the other side only, and heals when it is replaced', async () => {
    const api = await freshApi();
    const path = '/api/user/automate/connections';
    const secret = 'a-very-secret-token';
    const created = await api.post(path, { name: 'CRM', kind: 'http_bearer', secret });
    const { id } = (created.body as { data: { id: number } }).data;
    const flow = {
      connections: { crm: { kind: 'http_bearer', id: `con_${id}` } },
    };
    const call = step({ url: `${receiver.url}/crm` }, { connection: 'crm' });
    const keep = { id: 'keep', type: 'data.map', input: { echo: '{{steps.call.output.body.echo}}' } };
    const run = await runOnce(api, [call, keep], {}, 'SUCCEEDED', flow);
    expect(at('/crm').map(({ headers }) => headers.authorization)).toEqual([`Bearer ${secret}`]);
    await api.delete(`${path}/${id}`);
    const again = await api.post(`/api/user/automate/flows/${run.automationId}/test`, {
      confirm_side_effects: true,
    });
    const { run_id } = again.body as { run_id: string };
    const failed = await eventually(async () => {
      const { body, text } = await api.get(
        `/api/user/automate/flows/${run.automationId}/runs?run_id=${run_id}`,
      );
      expect(body).toMatchObject({
        run: {
          status: 'FAILED',
          steps: [
            {
              classification: 'missing_connection',
              error: expect.stringContaining('[CONNECTION_NOT_FOUND]'),
            },
          ],
        },
      });
      return text;
    });
    const shown = [
      created.text,
      failed,
      (await api.get(path)).text,
      (await api.get(`/api/user/automate/flows/${run.automationId}`)).text,
    ];
    for (const text of shown) expect(text).not.toContain(secret);
  });

  test('uses the newest secret of a connection, also when an earlier request to change it is told again', async () => {
    const api = await freshApi();
    const connection = await api.post('/api/user/automate/connections', {
      name: 'CRM',
      kind: 'http_bearer',
      secret: 'zeroth',
    });
    const { id } = (connection.body as { data: { id: number } }).data;
    const change = (secret: string) =>
      api.put(`/api/user/automate/connections/${id}`, { secret }, { 'idempotency-key': `${secret} ${id}` });
    const first = await change('first');
    await change('second');
    const again = await change('first');
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const call = step({ url: `${receiver.url}/newest` }, { connection: 'crm' });
    await runOnce(api, [call], {}, 'SUCCEEDED', {
      connections: { crm: { kind: 'http_bearer', id: `con_${id}` } },
    });
    expect(at('/newest').map(({ headers }) => headers.authorization)).toEqual(['Bearer second']);
  });
});
