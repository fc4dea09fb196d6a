import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { accountApis, freshAccount, freshApi } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { createAssistant } from '../support/assistants.ts';
import { createAutomation, mapFlow } from '../support/automations.ts';
import { makeCampaign } from '../support/campaigns.ts';
import { chatAccount } from '../support/chat.ts';
import { connectedSender, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { parley } from '../support/parley.ts';
import { sharedStack } from '../support/shared-stack.ts';
import { startWebhookReceiver } from '../support/webhooks.ts';

interface Node {
  readonly event: string;
  readonly event_id: string;
  readonly service: string;
  readonly children: readonly Node[];
}

const traceOf = async (api: Api, requestId: string): Promise<readonly Node[]> => {
  const { status, text, body } = await api.get(`/api/user/traces/${requestId}`);
  expect(status, text).toBe(200);
  return (body as { data: { events: Node[] } }).data.events;
};

/** The trace, once it has become what `check` asks for; traces may be asked for 60 times a minute. */
const eventuallyTraced = (api: Api, requestId: string, check: (trace: readonly Node[]) => void) =>
  eventually(
    async () => {
      const trace = await traceOf(api, requestId);
      check(trace);
      return trace;
    },
    undefined,
    1_500,
  );

test('a trace shows what a request led to, also what followed later, over HTTP and for operators', async () => {
  const [api] = accountApis(await freshAccount());
  const folder = (await api.post('/api/user/folder', { name: 'Traced' })).body as { data: { id: number } };
  await createAssistant(api, { folder_id: folder.data.id });
  const deletion = await api.delete(`/api/user/folder/${folder.data.id}`);
  const requestId = String(deletion.headers['x-request-id']);
  await eventuallyTraced(api, requestId, (trace) =>
    expect(trace).toMatchObject([
      {
        event: 'FolderDeleted',
        service: 'assistants',
        children: [{ event: 'AssistantMovedToFolder', children: [] }],
      },
    ]),
  );
  const { status, output } = await parley('trace', requestId);
  expect([status, output]).toEqual([
    0,
    expect.stringMatching(/FolderDeleted[\s\S]*└─ AssistantMovedToFolder/),
  ]);
  expect((await parley('trace', 'never-asked')).status).toBe(1);
});

test("another account's trace and an unknown one are the same bytes", async () => {
  const [api] = accountApis(await freshAccount());
  const [stranger] = accountApis(await freshAccount());
  const made = await stranger.post('/api/user/folder', { name: 'Mine' });
  const answers = [];
  for (const id of [made.headers['x-request-id'], 'unknown'])
    answers.push((await api.get(`/api/user/traces/${id}`)).text);
  expect(answers).toEqual(['{"message":"Trace not found"}', '{"message":"Trace not found"}']);
});

/** By the type of an event what it stands below, `''` for nothing; however often anything was tried. */
function causesIn(nodes: readonly Node[]): Readonly<Record<string, readonly string[]>> {
  const causes = new Map<string, Set<string>>();
  const visit = (below: string, children: readonly Node[]): void => {
    for (const { event, children: next } of children) {
      causes.set(event, (causes.get(event) ?? new Set()).add(below));
      visit(event, next);
    }
  };
  visit('', nodes);
  return Object.fromEntries([...causes].map(([event, below]) => [event, [...below].sort()]));
}

type Ids = readonly (readonly [string, Ids])[];
const idsOf = (nodes: readonly Node[]): Ids =>
  nodes.map(({ event_id, children }) => [event_id, idsOf(children)]);

test('a trace goes on through automations: what their steps do elsewhere stands below the step, over HTTP and for operators', async () => {
  const { api, senderId, templates } = await chatAccount(sharedStack());
  const asking = await connectedSender(api, { calling_enabled: true }, [
    { name: 'may_we_call', kind: 'voice_call_request' },
  ]);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver.close());
  await api.put('/api/user/voice-webhook', { url: receiver.url });
  const customer = freshCustomerNumber();
  await control('chat/inbound', { to: asking.phone, from: customer, text: 'Hello' });
  await eventually(async () =>
    expect((await api.get('/api/user/conversations')).body).toMatchObject({
      data: [{ customer_phone: customer, last_received_at: expect.any(String) }],
    }),
  );
  const [{ id: first }, { id: second }] = [await makeCampaign(api), await makeCampaign(api)];
  await createAutomation(api, {
    trigger: { type: 'lead.created', campaign_id: first },
    connections: {
      wa: { kind: 'chatapp_sender', id: senderId },
      voice: { kind: 'chatapp_sender', id: asking.id },
    },
    steps: [
      {
        id: 'tell',
        type: 'chatapp.send_template',
        connection: 'wa',
        input: { template_id: templates.greeting, recipient_phone: '{{trigger.customer_phone}}' },
      },
      {
        id: 'ask',
        type: 'chatapp.request_call_permission',
        connection: 'voice',
        input: { recipient_phone: '{{trigger.customer_phone}}' },
      },
      {
        id: 'pass',
        type: 'lead.add',
        input: { campaign_id: second, phone_number: '{{trigger.customer_phone}}' },
      },
    ],
  });
  await createAutomation(api, { ...mapFlow(), trigger: { type: 'lead.created', campaign_id: second } });
  const created = await api.post('/api/user/lead', { campaign_id: first, phone_number: customer });
  const requestId = String(created.headers['x-request-id']);

  const isAtRest = ['BalanceCaptured', 'WebhookAttemptSucceeded'];
  const trace = await eventuallyTraced(api, requestId, (events) => {
    const text = JSON.stringify(events);
    for (const event of isAtRest) expect(text).toContain(`"${event}"`);
    expect(text.split('"RunSucceeded"')).toHaveLength(3);
  });
  expect(trace).toHaveLength(1);
  expect(causesIn(trace)).toMatchObject({
    LeadCreated: ['', 'StepStarted'],
    RunStarted: ['LeadCreated'],
    StepStarted: ['RunStarted'],
    BalanceReserved: ['StepStarted'],
    ConversationStarted: ['StepStarted'],
    MessageSendStarted: ['StepStarted'],
    BalanceCaptured: ['StepStarted'],
    CallPermissionAskStarted: ['StepStarted'],
    WebhookQueued: ['CallPermissionRequested'],
    WebhookAttemptStarted: ['WebhookQueued'],
    WebhookAttemptSucceeded: ['WebhookQueued'],
    RunSucceeded: ['RunStarted'],
  });
  // Beside the question when its answer came first, below it when a callback did.
  const [told] = causesIn(trace).CallPermissionRequested ?? [];
  expect(['StepStarted', 'CallPermissionAskStarted']).toContain(told);
  const { status, stdout, output } = await parley('trace', requestId, '--json');
  expect(status, output).toBe(0);
  expect(idsOf(JSON.parse(stdout).events)).toEqual(idsOf(trace));
});

test('a run that a webhook started, or a person, is found by the id of that request', async () => {
  const api = await freshApi();
  const { automation_id: id, webhook_url: url } = await createAutomation(api, mapFlow());
  const hook = await comingBack(createApi(url ?? '')).post('', { a: 1 });
  const test = { sample: { body: {} }, confirm_side_effects: true };
  const byHand = await api.post(`/api/user/automate/flows/${id}/test`, test);
  for (const { status, text, headers } of [hook, byHand]) {
    expect(status, text).toBe(200);
    await eventuallyTraced(api, String(headers['x-request-id']), (trace) => {
      expect(trace).toMatchObject([{ event: 'RunStarted' }]);
      expect(causesIn(trace)).toMatchObject({ RunSucceeded: ['RunStarted'] });
    });
  }
});
