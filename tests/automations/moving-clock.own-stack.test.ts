import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/api.ts';
import { createAutomation, mapFlow, runDetail, runOnce, runsOf, runsTable } from '../support/automations.ts';
import { type ChatAccount, chatAccount, sentTo } from '../support/chat.ts';
import { advanceClock, connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { readRowsOf } from '../support/database.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { setAside } from '../support/set-aside.ts';

/** A stack of its own: its clock moves, and its chat platform fails when told to. */
let stack: RunningStack;
let chat: ChatAccount;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { automations: 2 } });
  chat = await chatAccount(stack);
});
afterAll(async () => {
  await stack?.stop();
});

describe('a message that the chat platform does not take', () => {
  const greet = () => [
    {
      id: 'send',
      type: 'chatapp.send_template',
      connection: 'wa',
      input: { template_id: chat.templates.greeting, recipient_phone: '{{trigger.phone}}' },
    },
  ];
  const connections = () => ({ connections: { wa: { kind: 'chatapp_sender', id: chat.senderId } } });
  async function failedSend(mode: 'reject' | 'error', code: string) {
    const phone = freshCustomerNumber();
    await control(
      'faults',
      { provider: 'chat', operation: 'send_message', mode, times: 1 },
      stack.sandboxUrl,
    );
    const run = await runOnce(chat.api, greet(), { phone }, 'FAILED', connections());
    expect(run.steps).toMatchObject([
      { classification: 'wiring_error', error: expect.stringContaining(`[${code}]`) },
    ]);
    return { phone, run };
  }
  const retried = async (api: Api, id: string, runId: string) => {
    const { status, text } = await api.post(`/api/user/automate/flows/${id}/runs/${runId}/retry`);
    expect(status, text).toBe(200);
    return eventually(async () => {
      const run = await runDetail(api, id, runId);
      expect(run.status).not.toBe('RUNNING');
      return run;
    });
  };

  test('was surely not sent when it was refused: a retry sends it', async () => {
    const { phone, run } = await failedSend('reject', 'SEND_FAILED');
    expect(await retried(chat.api, run.automationId, run.id)).toMatchObject({
      id: run.id,
      status: 'SUCCEEDED',
    });
    expect(await sentTo(stack, phone)).toHaveLength(2);
  });

  test('may have been sent when there was no usable answer: no retry hands it over again', async () => {
    const { phone, run } = await failedSend('error', 'OUTCOME_UNKNOWN');
    const again = await retried(chat.api, run.automationId, run.id);
    expect(again).toMatchObject({
      status: 'FAILED',
      steps: [{ error: expect.stringContaining('[OUTCOME_UNKNOWN]') }],
    });
    expect(await sentTo(stack, phone)).toHaveLength(1);
  });
});

const advance = (seconds: number) => advanceClock(Math.ceil(seconds), stack.sandboxUrl);

const untilItWaits = (runId: string) =>
  eventually(async () => {
    const text = `select phase from ${runsTable} where id = '${runId}'`;
    expect(await readRowsOf(stack.databaseUrl, 'automations', text)).toEqual([{ phase: 'backoff' }]);
  });

const untilSucceeded = (api: Api, automationId: string, runId: string) =>
  eventually(async () => {
    const run = await runDetail(api, automationId, runId);
    expect(run.status).toBe('SUCCEEDED');
    return run;
  });

test('a step waits for its turn at the account’s rate limit, which its own requests use up too', async () => {
  const { api } = chat;
  const voice = { name: 'may_we_call', kind: 'voice_call_request' } as const;
  const sender = await connectedSender(api, { calling_enabled: true }, [voice], stack);
  const ask = (recipient_phone: string) =>
    api.post('/api/user/chatapp/voice/request', { sender_id: sender.id, recipient_phone });
  const phone = freshCustomerNumber();
  await control('chat/inbound', { to: sender.phone, from: phone, text: 'Hello' }, stack.sandboxUrl);
  const answers = await Promise.all(Array.from({ length: 6 }, () => ask(freshCustomerNumber())));
  expect(answers.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 422, 429]);
  const step = {
    id: 'ask',
    type: 'chatapp.request_call_permission',
    connection: 'wa',
    input: { recipient_phone: '{{trigger.phone}}' },
    retry: { attempts: 1 },
  };
  const connections = { wa: { kind: 'chatapp_sender', id: sender.id } };
  const { automationId, id } = await runOnce(api, [step], { phone }, 'RUNNING', { connections });
  await untilItWaits(id);
  expect(await sentTo(stack, phone)).toEqual([]);
  // A minute, and the fifth of it by which runs spread their turns.
  await advance(75);
  const run = await untilSucceeded(api, automationId, id);
  expect(run.steps[0]?.attempts).toBeGreaterThan(1);
  expect(await sentTo(stack, phone)).toHaveLength(1);
});

test('a step that lacks only what is set aside for something else is done once that is free again', async () => {
  const { account, api, senderId, templates } = await chatAccount(stack, { balance: 1 });
  const giveBack = await setAside(stack, account.id, 1_000_000);
  const phone = freshCustomerNumber();
  const step = {
    id: 'send',
    type: 'chatapp.send_template',
    connection: 'wa',
    input: { template_id: templates.greeting, recipient_phone: '{{trigger.phone}}' },
  };
  const connections = { wa: { kind: 'chatapp_sender', id: senderId } };
  const { automationId, id } = await runOnce(api, [step], { phone }, 'RUNNING', { connections });
  await untilItWaits(id);
  await giveBack();
  expect(await sentTo(stack, phone)).toEqual([]);
  await advance(75);
  await untilSucceeded(api, automationId, id);
  expect(await sentTo(stack, phone)).toHaveLength(1);
});

/** The runs that the clock has started, each of which is found by a request id of its own. */
async function eachMomentHasItsTrace(runs: number): Promise<void> {
  const { data } = (await chat.api.get('/api/user/events?types=RunStarted&limit=500')).body as {
    data: { event_id: string; request_id: string; data: { trigger: { type: string } } }[];
  };
  const started = data.filter((event) => event.data.trigger.type === 'schedule');
  expect(started).toHaveLength(runs);
  for (const { event_id, request_id } of started) {
    const { body } = await chat.api.get(`/api/user/traces/${encodeURIComponent(request_id)}`);
    expect(body).toMatchObject({ data: { events: [{ event: 'RunStarted', event_id }] } });
  }
}

describe('a schedule', () => {
  const hour = 3_600;

  test('comes once for each of its moments; one that nothing ran at is skipped, or made up for once', async () => {
    const hourly = (misfire: 'skip' | 'once') =>
      createAutomation(chat.api, { ...mapFlow(), trigger: { type: 'schedule', cron: '0 * * * *', misfire } });
    let { offset_seconds: offset } = await advance(0);
    const untilHour = () => hour - ((Date.now() / 1000 + offset) % hour);
    // Not so close to a full hour that it passes while the automations are made.
    if (untilHour() < 300) ({ offset_seconds: offset } = await advance(600));
    const [skipping, once] = [await hourly('skip'), await hourly('once')];
    const counts = async () => [
      (await runsOf(chat.api, skipping.automation_id)).length,
      (await runsOf(chat.api, once.automation_id)).length,
    ];
    const reaches = (expected: readonly number[]) =>
      eventually(async () => expect(await counts()).toEqual(expected));
    expect(await counts()).toEqual([0, 0]);
    await advance(untilHour() + 1);
    await reaches([1, 1]);
    await advance(3 * hour + 600);
    await reaches([1, 2]);
    await advance(hour - 600);
    await reaches([2, 3]);
    await chat.api.put(`/api/user/automate/flows/${once.automation_id}`, { enabled: false });
    await advance(hour);
    await reaches([3, 3]);
    await eachMomentHasItsTrace(6);
  });
});

test('a run that failed too long ago is not retried, nor one whose payloads are erased', async () => {
  const { api } = chat;
  const broken = [{ id: 'map', type: 'data.map', input: { a: '{{trigger.missing}}' } }];
  const failed = (max_age: string) =>
    runOnce(api, broken, {}, 'FAILED', { settings: { retry: { max_age } } });
  const [early, late] = [await failed('PT1H'), await failed('P1Y')];
  const refused = async ({ automationId, id }: typeof early, reason: string) => {
    const path = `/api/user/automate/flows/${automationId}/runs/${id}/retry`;
    await eventually(async () =>
      expect((await api.get(`${path}/explain`)).body).toMatchObject({ retry: { possible: false, reason } }),
    );
    const { status, body } = await api.post(path);
    expect([status, body]).toMatchObject([422, { error: 'retry_no_op' }]);
    expect(await runDetail(api, automationId, id)).toMatchObject({ status: 'FAILED', retries: 0 });
  };
  await advance(3_601);
  await refused(early, 'too_old');
  expect(await runDetail(api, late.automationId, late.id)).toMatchObject({ retry: { possible: true } });
  await advance(31 * 24 * 3_600);
  await refused(late, 'payloads_erased');
  const text = `select count(*)::int as kept from payloads.run_payloads where run_id = '${late.id}'`;
  await eventually(async () =>
    expect(await readRowsOf(stack.databaseUrl, 'automations', text)).toEqual([{ kept: 0 }]),
  );
});
