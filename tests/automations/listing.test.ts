import { eventually } from '@parley/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { accountApis, freshAccount } from '../support/accounts.ts';
import type { Api } from '../support/api.ts';
import { callWebhook, createAutomation } from '../support/automations.ts';

const listed = z.object({ runs: z.array(z.object({ id: z.string(), status: z.string() })) });

async function failingNowAndThen() {
  const [api] = accountApis(await freshAccount());
  const { automation_id: id, webhook_url: url } = await createAutomation(api, {
    trigger: { type: 'webhook.inbound' },
    steps: [{ id: 'map', type: 'data.map', input: { values: { x: '{{trigger.body.x}}' } } }],
  });
  for (let n = 0; n < 6; n += 1) await callWebhook(url, n % 2 === 0 ? { x: n } : {});
  const path = `/api/user/automate/flows/${id}/runs`;
  await eventually(async () =>
    expect((await list(api, `${path}?limit=20`)).map(ended)).toEqual(Array(6).fill(true)),
  );
  return { api, path };
}
const ended = ({ status }: { status: string }) => ['SUCCEEDED', 'FAILED'].includes(status);
const list = async (api: Api, path: string) => listed.parse((await api.get(path)).body).runs;

test('the runs that failed are listed by themselves, page by page', async () => {
  const { api, path } = await failingNowAndThen();
  const all = await list(api, `${path}?limit=20`);
  const failed = all.filter(({ status }) => status === 'FAILED');
  expect(failed).toHaveLength(3);
  const [first, ...rest] = await list(api, `${path}?status=FAILED&limit=1`);
  expect([first, ...rest].map((run) => run?.id)).toEqual([failed[0]?.id]);
  const next = await list(api, `${path}?status=FAILED&before=${first?.id}`);
  expect(next.map(({ id }) => id)).toEqual(failed.slice(1).map(({ id }) => id));
  const behind = await list(api, `${path}?before=${all[3]?.id}`);
  expect(behind.map(({ id }) => id)).toEqual(all.slice(4).map(({ id }) => id));
});

test('what no list has is refused: a status or a run that there is not, or the past of either', async () => {
  const { api, path } = await failingNowAndThen();
  const [run] = await list(api, path);
  expect(await api.get(`${path}?before=nonsense`)).toMatchObject({
    status: 404,
    body: { message: 'Run not found for this automation' },
  });
  expect((await api.get('/api/user/automate/flows/999999999/runs?before=nonsense')).body).toEqual({
    message: 'Automation not found',
  });
  for (const [query, field] of [
    ['status=DONE', 'status'],
    [`before=${run?.id}&as_of=2026-01-01T00:00:00Z`, 'as_of'],
  ] as const)
    expect(await api.get(`${path}?${query}`)).toMatchObject({
      status: 422,
      body: { errors: { [field]: [expect.any(String)] } },
    });
});
