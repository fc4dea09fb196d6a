import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { freshApi } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { runDetail, runOnce } from '../support/automations.ts';

const path = '/api/user/automate/flows';
const steps = [
  { id: 'first', type: 'data.map', input: { a: 1 } },
  { id: 'wait', type: 'delay', for: 'P1D' },
];
const waiting = (api: Api, settings: object = {}) => runOnce(api, steps, {}, 'PAUSED', { settings });

test('runs of a deactivated automation go on, unless its settings say that they stop', async () => {
  const api = await freshApi();
  const [finishing, stopping] = [await waiting(api), await waiting(api, { on_deactivate: 'stop' })];
  for (const { automationId } of [finishing, stopping])
    expect((await api.put(`${path}/${automationId}`, { enabled: false })).status).toBe(200);
  const stopped = await eventually(async () => {
    const run = await runDetail(api, stopping.automationId, stopping.id);
    expect(run.status).toBe('FAILED');
    return run;
  });
  expect(stopped.steps).toMatchObject([
    { name: 'first', status: 'SUCCEEDED' },
    {
      name: 'wait',
      status: 'FAILED',
      classification: 'wiring_error',
      error: expect.stringMatching(/^\[AUTOMATION_STOPPED\]/),
    },
  ]);
  expect(await runDetail(api, finishing.automationId, finishing.id)).toMatchObject({ status: 'PAUSED' });
});

test('a run that was stopped is retried while its automation is still inactive', async () => {
  const api = await freshApi();
  const { automationId, id } = await waiting(api, { on_deactivate: 'stop' });
  await api.put(`${path}/${automationId}`, { enabled: false });
  await eventually(async () => expect((await runDetail(api, automationId, id)).status).toBe('FAILED'));
  const { status, body } = await api.post(`${path}/${automationId}/runs/${id}/retry`);
  // The answer does not wait for long until the run is at its delay again.
  expect([status, body]).toMatchObject([
    200,
    { run_id: id, status: expect.stringMatching(/RUNNING|PAUSED/) },
  ]);
  await eventually(async () =>
    expect((await runDetail(api, automationId, id)).steps).toMatchObject([
      { name: 'first', status: 'SUCCEEDED', attempts: 1 },
      { name: 'wait', status: 'PAUSED', classification: 'paused_at_delay' },
    ]),
  );
});
