import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBusClient } from '@parley/message-bus';
import { createStackHome, eventually, type RunningStack, startStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { createApi } from '../support/api.ts';
import { createAutomation, runsTable, startReceiver } from '../support/automations.ts';
import { readRowsOf } from '../support/database.ts';
import { reportFigure } from '../support/figures.ts';
import { runParley } from '../support/run-parley.ts';
import { randomNumbers, seed } from '../support/tier.ts';
import { queueVoiceEvent, startWebhookReceiver } from '../support/webhooks.ts';

const zombies = Number(process.env.PARLEY_ZOMBIES ?? 200);
const services = ['assistants', 'automations'] as const;
/** Twice the lease of a webhook's attempt and of a run's step; up to when Postgres itself cuts a silent process off. */
const stoppedMs = [10_000, 18_000] as const;

/** How long the endpoint takes, and how many webhooks it gets at a time. */
const delayMs = 300;
const atOnce = 4;

let home: string;
let stack: RunningStack;
beforeAll(async () => {
  home = await createStackHome();
  stack = await startStack({ home, copies: { assistants: 2, automations: 2 } });
});
afterAll(async () => {
  await stack?.stop();
  await rm(home, { recursive: true, force: true });
});

test(`A4: ${zombies} processes that stand still for twice their lease and come back double nothing (seed ${seed})`, async () => {
  const random = randomNumbers();
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const account = await registerTestAccount(bus);
  const api = createApi(stack.baseUrl, account.key);
  // Slow enough that a process that stops is in the middle of something.
  const webhooks = await startWebhookReceiver({ delayMs });
  const outside = await startReceiver();
  await api.put('/api/user/voice-webhook', { url: webhooks.url });
  const automation = await createAutomation(api, {
    trigger: { type: 'webhook.inbound' },
    steps: [
      { id: 'first', type: 'data.map', input: { n: '{{trigger.body.n}}' } },
      {
        id: 'tell',
        type: 'http.request',
        retry: { attempts: 10 },
        on_unknown: 'repeat',
        input: { method: 'POST', url: outside.url, json: { n: '{{trigger.body.n}}' } },
      },
      { id: 'last', type: 'data.map', input: { n: '{{trigger.body.n}}' } },
    ],
  });
  const trigger = createApi(automation.webhook_url ?? '');
  let isOver = false;
  let told = 0;
  let started = 0;
  const patiently = (work: () => Promise<unknown>) => eventually(work, 120_000, 100);
  const load = [
    ...Array.from({ length: 4 }, async () => {
      while (!isOver) {
        await patiently(() => queueVoiceEvent(bus, account.id));
        told += 1;
      }
    }),
    ...Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const n = started++;
        await patiently(async () =>
          expect((await trigger.post('', { n }, { 'webhook-id': `run-${n}` })).status).toBe(200),
        );
        await sleep(100);
      }
    }),
  ];
  for (let done = 0; done < zombies; done += services.length) {
    const names = services.map((service) => (random() < 0.5 ? service : `${service}-2`));
    for (const name of names) await stack.signal(name, 'SIGSTOP');
    await sleep(stoppedMs[0] + random() * (stoppedMs[1] - stoppedMs[0]));
    for (const name of names) await stack.signal(name, 'SIGCONT');
    await sleep(500 + random() * 1_500);
  }
  isOver = true;
  await Promise.all(load);
  await bus.close();

  const count = async (service: string, query: string): Promise<number> =>
    Number((await readRowsOf<{ count: string }>(stack.databaseUrl, service, query))[0]?.count);
  const open = `select count(*) from view_webhook_deliveries_v4.items where status <> 'delivered'`;
  const left = await count('assistants', open);
  await eventually(
    async () => {
      expect(await count('assistants', open), `of ${left} that were left`).toBe(0);
      const running = `select count(*) from ${runsTable} where account_id = ${account.id} and status <> 'SUCCEEDED'`;
      expect(await count('automations', running)).toBe(0);
    },
    60_000 + left * 2 * (delayMs / atOnce),
    500,
  );
  const twice = (service: string, types: string, by: string) =>
    count(
      service,
      `select count(*) from (select 1 from es.events where type in (${types}) group by ${by} having count(*) > 1) t`,
    );
  const doubled = {
    delivered: await twice('assistants', `'WebhookAttemptSucceeded'`, 'stream_id'),
    steps: await twice('automations', `'StepSucceeded'`, `stream_id, data ->> 'path'`),
    runs: await twice('automations', `'RunSucceeded','RunFailed'`, 'stream_id'),
  };
  const interrupted = await count(
    'assistants',
    `select count(*) from es.events where type = 'WebhookAttemptInterrupted'`,
  );
  const runs = await count(
    'automations',
    `select count(*) from ${runsTable} where account_id = ${account.id}`,
  );
  const verification = await runParley(['verify'], { PARLEY_HOME: home });
  await Promise.all([webhooks.close(), outside.close()]);
  reportFigure(
    'A4',
    `${zombies} zombies; ${told} webhooks, ${left} of them left at the end, ${webhooks.requests.length - told} sent again, ${interrupted} attempts taken over; ${runs} runs, ${outside.received.length - runs} requests repeated; doubled ${JSON.stringify(doubled)}; verify ends with ${verification.code}; seed ${seed}`,
  );
  expect(doubled).toEqual({ delivered: 0, steps: 0, runs: 0 });
  expect(runs).toBe(started);
  // Whoever was taken over was at work: the load is harsh enough to show what the fence prevents.
  expect(interrupted).toBeGreaterThan(0);
  expect(verification.code, verification.stdout).toBe(0);
});
