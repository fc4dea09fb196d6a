import { eventually } from '@parley/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { createAutomation, onlyRun, runDetail, runOnce, startReceiver } from '../support/automations.ts';

let apis: readonly Api[];
const api = (index = 0): Api => {
  const found = apis[index % apis.length];
  if (!found) throw new Error('There is a gateway.');
  return found;
};

beforeAll(async () => {
  apis = accountApis(await freshAccount());
});

const get = (id: string, url: string) => ({ id, type: 'http.request', input: { method: 'GET', url } });
const wait = { id: 'wait', type: 'delay', for: 'PT1S' };
const pathOf = (automation: string, run: string) =>
  `/api/user/automate/flows/${automation}/runs/${run}/retry`;

/** Refuses what its path says until it is told otherwise. */
async function startRefusing() {
  let isRefusing = true;
  let held = Promise.resolve();
  const receiver = await startReceiver(async ({ url }) => {
    if (isRefusing && url.startsWith('/refused')) return { status: 422 };
    await held;
    return { status: 200 };
  });
  return {
    ...receiver,
    paths: () => receiver.received.map(({ url }) => url),
    /** From now on, once `until` is over. */
    accept: (until = Promise.resolve()) => {
      isRefusing = false;
      held = until;
    },
  };
}

/** Retries a run; resolves with what has become of it. The answer does not wait for a run that takes long. */
async function retryOf(automation: string, run: string) {
  const { status, body } = await api().post(pathOf(automation, run));
  const answer = { run_id: run, status: expect.any(String), note: expect.any(String) };
  expect([status, body]).toEqual([200, answer]);
  const detail = await eventually(async () => {
    const now = await runDetail(api(1), automation, run.toLowerCase());
    expect(now.status).not.toBe('RUNNING');
    return now;
  });
  expect(['RUNNING', detail.status]).toContain((body as { status: string }).status);
  return detail;
}

describe('a failed run', () => {
  test('goes on from its failed step in the same run; what succeeded is not executed again', async () => {
    const outside = await startRefusing();
    const failed = await runOnce(
      api(),
      [
        get('first', `${outside.url}/first`),
        get('second', `${outside.url}/refused`),
        get('last', `${outside.url}/last`),
      ],
      {},
      'FAILED',
    );
    expect(failed.steps.map(({ name, status }) => [name, status])).toEqual([
      ['first', 'SUCCEEDED'],
      ['second', 'FAILED'],
    ]);
    expect(failed.retry).toEqual({ possible: true, reason: null, from_step: 'second' });
    const explained = await api().get(`${pathOf(failed.automationId, failed.id)}/explain`);
    expect(explained.body).toMatchObject({
      run_id: failed.id,
      status: 'FAILED',
      retry: {
        possible: true,
        error: null,
        from_step: 'second',
        kept_steps: ['first'],
        would_repeat: ['second'],
        rules: expect.arrayContaining([
          expect.objectContaining({
            rule: 'failed',
            verdict: 'passed',
            event: expect.objectContaining({ type: 'RunFailed' }),
          }),
        ]),
      },
    });
    outside.accept();
    const retried = await retryOf(failed.automationId, failed.id.toUpperCase());
    expect(retried).toMatchObject({ status: 'SUCCEEDED', start_time: failed.start_time, retries: 1 });
    expect(outside.paths()).toEqual(['/first', '/refused', '/refused', '/last']);
    await outside.close();
  });

  test('is retried after a delay as before it, unless the automation refuses that', async () => {
    const outside = await startRefusing();
    const steps = [get('first', `${outside.url}/first`), wait, get('second', `${outside.url}/refused`)];
    const failed = await runOnce(api(), steps, {}, 'FAILED');
    const settings = { retry: { after_delay: 'refuse' } };
    const strict = await runOnce(api(), steps, {}, 'FAILED', { settings });
    outside.accept();
    const refused = await api().post(pathOf(strict.automationId, strict.id));
    expect([refused.status, refused.body]).toEqual([
      422,
      { message: expect.any(String), error: 'retry_no_op' },
    ]);
    expect(await runDetail(api(), strict.automationId, strict.id)).toMatchObject({
      automation_id: strict.automationId,
      status: 'FAILED',
      retry: { possible: false, reason: 'after_delay', from_step: null },
    });
    expect(await retryOf(failed.automationId, failed.id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(outside.paths().filter((path) => path === '/first')).toHaveLength(2);
    await outside.close();
  });

  test('goes on by the repaired automation when everything before the failed step is as it was', async () => {
    const outside = await startRefusing();
    const first = get('first', `${outside.url}/first`);
    const failed = await runOnce(api(), [first, get('second', `${outside.url}/refused`)], {}, 'FAILED');
    const flow = {
      trigger: { type: 'webhook.inbound' },
      steps: [first, get('second', `${outside.url}/repaired`)],
    };
    const updated = await api().put(`/api/user/automate/flows/${failed.automationId}`, { flow });
    expect([updated.status, updated.body]).toMatchObject([200, { data: { version: 2 } }]);
    const retried = await retryOf(failed.automationId, failed.id);
    expect(retried).toMatchObject({ status: 'SUCCEEDED', version: 2 });
    expect(outside.paths()).toEqual(['/first', '/refused', '/repaired']);
    await outside.close();
  });

  test('stays on its version when an earlier step was edited', async () => {
    const outside = await startRefusing();
    const second = get('second', `${outside.url}/refused`);
    const failed = await runOnce(api(), [get('first', `${outside.url}/first`), second], {}, 'FAILED');
    const steps = [get('first', `${outside.url}/other`), get('second', `${outside.url}/repaired`)];
    await api().put(`/api/user/automate/flows/${failed.automationId}`, {
      flow: { trigger: { type: 'webhook.inbound' }, steps },
    });
    const retried = await retryOf(failed.automationId, failed.id);
    expect(retried).toMatchObject({ status: 'FAILED', version: 1 });
    expect(outside.paths()).toEqual(['/first', '/refused', '/refused']);
    await outside.close();
  });

  test('is retried once for one Idempotency-Key, and answered the same', async () => {
    const outside = await startRefusing();
    const failed = await runOnce(api(), [get('first', `${outside.url}/refused`)], {}, 'FAILED');
    outside.accept();
    const headers = { 'idempotency-key': 'once' };
    const first = await api().post(pathOf(failed.automationId, failed.id), undefined, headers);
    const again = await api(1).post(pathOf(failed.automationId, failed.id), undefined, headers);
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await onlyRun(api(), failed.automationId, 'SUCCEEDED')).toMatchObject({ retries: 1 });
    expect(outside.paths()).toHaveLength(2);
    await outside.close();
  });

  test('of a deleted automation is not found', async () => {
    const outside = await startRefusing();
    const failed = await runOnce(api(), [get('first', `${outside.url}/refused`)], {}, 'FAILED');
    await api().delete(`/api/user/automate/flows/${failed.automationId}`);
    const answer = await api().post(pathOf(failed.automationId, failed.id));
    expect([answer.status, answer.body]).toEqual([
      404,
      { message: 'Automation not found', error: 'not_found' },
    ]);
    await outside.close();
  });
});

describe('a retry of a run that did not fail', () => {
  const refusal = async (automation: string, run: string) => {
    const { status, body } = await api().post(pathOf(automation, run));
    return [status, (body as { error?: string }).error];
  };

  test('is for nothing when it has succeeded, or waits at a delay', async () => {
    const succeeded = await runOnce(
      api(),
      [{ id: 'map', type: 'data.map', input: { a: 1 } }],
      {},
      'SUCCEEDED',
    );
    expect(await refusal(succeeded.automationId, succeeded.id)).toEqual([422, 'retry_no_op']);
    const paused = await runOnce(api(), [{ ...wait, for: 'P1D' }], {}, 'PAUSED');
    expect(await refusal(paused.automationId, paused.id)).toEqual([422, 'retry_no_op']);
    expect(paused.steps).toMatchObject([
      { name: 'wait', status: 'PAUSED', classification: 'paused_at_delay', error: null },
    ]);
    expect(await runDetail(api(), paused.automationId, paused.id)).toMatchObject({
      status: 'PAUSED',
      waiting: { until: expect.stringMatching(/Z$/), reason: null },
      retry: { possible: false, reason: 'paused', from_step: null },
    });
  });

  test('can be tried again when it is under way', async () => {
    const outside = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '600' } }));
    const running = await runOnce(api(), [get('busy', outside.url)], {}, 'RUNNING');
    expect(await refusal(running.automationId, running.id)).toEqual([422, 'retry_failed']);
    await eventually(async () =>
      expect(await runDetail(api(), running.automationId, running.id)).toMatchObject({
        waiting: { until: expect.stringMatching(/Z$/), reason: expect.stringMatching(/^HTTP_/) },
      }),
    );
    await outside.close();
  });

  test('finds no run of that id, of another automation, or of no form', async () => {
    const run = await runOnce(api(), [{ id: 'map', type: 'data.map', input: { a: 1 } }], {}, 'SUCCEEDED');
    const other = await createAutomation(api(), {
      trigger: { type: 'webhook.inbound' },
      steps: [{ id: 'map', type: 'data.map', input: { a: 1 } }],
    });
    const bodies = [];
    for (const [automation, id] of [
      [other.automation_id, run.id],
      [run.automationId, '5d1f6f2e-3c4b-5a69-9788-1a2b3c4d5e6f'],
      [run.automationId, 'nonsense'],
    ] as const) {
      const answer = await api().post(pathOf(automation, id));
      bodies.push([answer.status, answer.body]);
      const detail = await api().get(`/api/user/automate/flows/${automation}/runs?run_id=${id}`);
      expect([detail.status, detail.body]).toEqual([404, { message: 'Run not found for this automation' }]);
    }
    const expected = [404, { message: 'Run not found for this automation', error: 'not_found' }];
    expect(bodies).toEqual([expected, expected, expected]);
  });
});

test('of fifty retries at once over two gateways one is accepted, and every step takes effect once (B3)', async () => {
  const outside = await startRefusing();
  const steps = [
    get('first', `${outside.url}/first`),
    get('second', `${outside.url}/refused`),
    get('last', `${outside.url}/last`),
  ];
  const failed = await runOnce(api(), steps, {}, 'FAILED');
  const { promise: othersAreRefused, resolve: release } = Promise.withResolvers<void>();
  outside.accept(othersAreRefused);
  const path = pathOf(failed.automationId, failed.id);
  let refusals = 0;
  const retry = async (index: number) => {
    const answer = await api(index).post(path, undefined, { 'idempotency-key': `retry ${index}` });
    // The one that is accepted may be answered before: its run goes on.
    if (answer.status !== 200) refusals += 1;
    if (refusals === 49) release();
    return answer;
  };
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => retry(index)));
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted.map(({ body }) => body)).toMatchObject([{ run_id: failed.id }]);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(
    new Set(refused.map(({ status, body }) => `${status} ${(body as { error: string }).error}`)),
  ).toEqual(new Set(['422 retry_failed']));
  expect(refused).toHaveLength(49);
  const ended = await onlyRun(api(), failed.automationId, 'SUCCEEDED');
  expect(ended.retries).toBe(1);
  expect(outside.paths()).toEqual(['/first', '/refused', '/refused', '/last']);
  await outside.close();
});
