import { expect, test } from 'vitest';
import { accountApis, freshAccount } from '../support/accounts.ts';
import { runOnce, startReceiver } from '../support/automations.ts';
import { parley } from '../support/parley.ts';

const replay = (...args: string[]) => parley('replay-run', ...args);

const replyTo = { id: 'map', type: 'data.map', input: { status: '{{steps.ask.output.status}}' } };

test('a run is replayed without asking anybody, and an edited automation shows what would differ', async () => {
  const [api] = accountApis(await freshAccount());
  const outside = await startReceiver();
  const ask = { id: 'ask', type: 'http.request', input: { method: 'GET', url: outside.url } };
  const run = await runOnce(api, [ask, replyTo], {}, 'SUCCEEDED');
  const same = await replay(run.id, '--json');
  expect(same.status).toBe(0);
  expect(JSON.parse(same.output)).toMatchObject({
    run_id: run.id,
    version: 1,
    recorded_status: 'SUCCEEDED',
    replayed_status: 'SUCCEEDED',
    steps: [
      { path: 'ask', output: 'recorded', differs: [] },
      { path: 'map', output: 'recorded', differs: [] },
    ],
  });
  const edited = { ...replyTo, input: { status: '{{steps.ask.output.status}}', more: true } };
  await api.put(`/api/user/automate/flows/${run.automationId}`, {
    flow: { trigger: { type: 'webhook.inbound' }, steps: [ask, edited, { ...edited, id: 'extra' }] },
  });
  const current = await replay(run.id, '--definition', 'current');
  expect(current.status).toBe(1);
  for (const part of ['version 2', 'input.more', 'extra', 'added', 'dry run'])
    expect(current.output).toContain(part);
  expect(outside.received).toHaveLength(1);
  await outside.close();
});

test('a run that is not there is a negative answer', async () => {
  const { status, output } = await replay('5d1f6f2e-3c4b-5a69-9788-1a2b3c4d5e6f');
  expect([status, output]).toEqual([1, expect.stringContaining('Not found')]);
});
