import { randomUUID } from 'node:crypto';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApi } from '../support/api.ts';
import { createAutomation, runDetail, runsTable, startReceiver } from '../support/automations.ts';
import { dataOf, type Lead } from '../support/campaigns.ts';
import { chatAccount, sentTo } from '../support/chat.ts';
import { freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { isNightly } from '../support/tier.ts';

const total = isNightly ? 200 : 24;
const rounds = isNightly ? 8 : 1;
/** Who dies, in turn, while runs are under way. */
const victims = [
  'automations',
  'automations-2',
  'messaging',
  'assistants',
  'nats',
  'postgres',
  'automations',
];

let stack: RunningStack;
let outside: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { automations: 2 } });
  outside = await startReceiver();
});
afterAll(async () => {
  await outside?.close();
  await stack?.stop();
});

interface Row {
  readonly id: string;
  readonly status: string;
}

const statusesOf = (automationId: string): Promise<Row[]> =>
  readRowsOf<Row>(
    stack.databaseUrl,
    'automations',
    `select id, status from ${runsTable} where automation_id = ${automationId} order by id`,
  );

test(`${total} runs take effect once each while processes, Postgres and NATS are killed`, async () => {
  const { api, senderId, templates } = await chatAccount(stack, { balance: 1_000 });
  const campaign = dataOf<{ id: number }>(
    await api.post('/api/user/campaign', { name: 'Runs', channel: 'sms', body: 'Hello' }),
  );
  const phone = '{{trigger.body.phone}}';
  // Enough for the time that a service is away.
  const retry = { attempts: 10 };
  const automation = await createAutomation(api, {
    trigger: { type: 'webhook.inbound' },
    connections: { wa: { kind: 'chatapp_sender', id: senderId } },
    steps: [
      { id: 'lead', type: 'lead.add', retry, input: { campaign_id: campaign.id, phone_number: phone } },
      {
        id: 'tell',
        type: 'http.request',
        retry,
        on_unknown: 'repeat',
        input: { method: 'POST', url: outside.url, json: { phone } },
      },
      { id: 'wait', type: 'delay', for: 'PT1S' },
      {
        id: 'send',
        type: 'chatapp.send_template',
        connection: 'wa',
        retry,
        input: { template_id: templates.greeting, recipient_phone: phone },
      },
      { id: 'done', type: 'data.map', input: { sent: '{{steps.send.output.message_sid}}' } },
    ],
  });
  const statuses = () => statusesOf(automation.automation_id);
  const phones = Array.from({ length: total }, freshCustomerNumber);
  const webhook = createApi(automation.webhook_url ?? '');
  const triggering = (async () => {
    for (const number of phones) {
      // What gets no answer is told again: its id makes it one run.
      const headers = { 'webhook-id': randomUUID() };
      await eventually(async () => {
        const { status } = await webhook.post('', { phone: number }, headers);
        expect(status).toBe(200);
      });
    }
  })();
  const all = Array.from({ length: rounds }, () => victims).flat();
  for (const [index, victim] of all.entries()) {
    const share = Math.floor((index * total) / (all.length + 2));
    await eventually(async () => {
      const rows = await statuses();
      expect(
        rows.filter(({ status }) => status === 'SUCCEEDED' || status === 'FAILED').length,
      ).toBeGreaterThanOrEqual(share);
    }, 120_000);
    await stack.signal(victim, 'SIGKILL');
  }
  await triggering;
  await eventually(
    async () => {
      const rows = await statuses();
      expect(rows).toHaveLength(total);
      expect(rows.filter(({ status }) => status === 'RUNNING' || status === 'PAUSED')).toEqual([]);
    },
    180_000,
    200,
  );
  // A run fails only where nobody knows whether its message went out, and says so.
  for (const { id, status } of await statuses()) {
    if (status !== 'FAILED') continue;
    const { steps } = await runDetail(api, automation.automation_id, id);
    expect(steps.at(-1)?.error).toMatch(/^\[OUTCOME_UNKNOWN\]/);
  }

  const leads = await comingBack(api).get(`/api/user/leads?campaign_id=${campaign.id}&per_page=100`);
  expect(leads.status, leads.text).toBe(200);
  const { data } = leads.body as { readonly data: readonly Lead[] };
  expect(data.length).toBe(Math.min(total, 100));
  expect(new Set(data.map(({ phone_number }) => phone_number)).size).toBe(data.length);
  const sent = (await sentTo(stack)).map(({ to }) => to).filter((to) => phones.includes(to));
  expect(sent.length).toBe(new Set(sent).size);
  const keys = outside.received.map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys).size).toBe(total);
  // Again only what was under way in a process that died.
  expect(keys.length - total).toBeLessThanOrEqual(all.length * 4);
  const runs = await statuses();
  const succeeded = runs.filter(({ status }) => status === 'SUCCEEDED');
  expect(sent.length).toBeGreaterThanOrEqual(succeeded.length);
  const timers = await readRowsOf<{ id: string }>(
    stack.databaseUrl,
    'automations',
    `select id from es.timers where id like 'run:%'`,
  );
  const left = timers.filter((timer) => runs.some(({ id }) => timer.id === `run:${id}`));
  expect(left).toEqual([]);
}, 900_000);
