import { connectBusClient } from '@parley/message-bus';
import { eventually, type RunningStack } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerTestAccount } from '../support/accounts.ts';
import { type Api, createApi } from '../support/api.ts';
import { type Call, callIn, callingAssistant, endCall, fund, makeCall, readCall } from '../support/calls.ts';
import { dataOf, type Lead, listOf, makeCampaign } from '../support/campaigns.ts';
import { advanceClock, control, freshCustomerNumber } from '../support/chat-platform.ts';
import { comingBack } from '../support/coming-back.ts';
import { startOwnStack } from '../support/own-stack.ts';
import { createSipTrunk, platformTrunks, sipTrunkBody } from '../support/sip-trunks.ts';
import { dataOfEvents } from '../support/sms.ts';
import { arrivalsAt, startWebhookReceiver } from '../support/webhooks.ts';

/** A stack of its own: its clock goes forward, and its voice platform breaks. */
let stack: RunningStack;
beforeAll(async () => {
  stack = await startOwnStack({ copies: { telephony: 2 } });
});
afterAll(async () => {
  await stack?.stop();
});

/** An account's client that comes back when it is told to, and one that takes the first answer. */
async function callers(): Promise<[Api, Api]> {
  const bus = await connectBusClient({ servers: stack.natsUrl, name: 'tests' });
  const { key } = await registerTestAccount(bus);
  const impatient = createApi(stack.baseUrl, key);
  const api = comingBack(impatient);
  await fund(api, bus);
  await bus.close();
  return [api, impatient];
}
const caller = async (): Promise<Api> => (await callers())[0];
const breakVoice = (operation: string, mode: string, times = 1, extra: object = {}) =>
  control('faults', { provider: 'voice', operation, mode, times, ...extra }, stack.sandboxUrl);
const advance = (seconds: number) => advanceClock(seconds, stack.sandboxUrl);
const balanceOf = async (api: Api) => (await api.get('/api/user/me')).body;

test('a campaign that lacks only what is set aside for other calls asks again in a minute', async () => {
  const api = await caller();
  // Two units are set aside for each call, of ten.
  const assistant = await callingAssistant(api, { max_duration: 1_200 });
  const calls = [];
  for (let count = 0; count < 5; count += 1)
    calls.push(await callIn(api, (await makeCall(api, assistant.id)).id, 'ringing'));
  const campaign = await makeCampaign(api, { channel: 'call', assistant_id: assistant.id });
  await api.post('/api/user/lead', { campaign_id: campaign.id, phone_number: freshCustomerNumber() });
  await api.post('/api/user/campaigns/update-status', { campaign_id: campaign.id, action: 'start' });
  await eventually(async () =>
    expect((await listOf<object>(api, '/api/user/campaigns')).data).toMatchObject([
      { held_up: { reason: 'The account balance is too low.' } },
    ]),
  );
  const [first] = calls;
  if (!first) throw new Error('Five calls ring.');
  await endCall(first, { outcome: 'no-answer' }, stack.sandboxUrl);
  await eventually(async () => expect(await balanceOf(api)).toMatchObject({ available_balance: '2.00' }));
  await advance(61);
  await eventually(async () =>
    expect((await listOf<Call>(api, '/api/user/calls')).data[0]).toMatchObject({ campaign_id: campaign.id }),
  );
});

test('a running campaign calls its lead; the call’s end updates the lead and is told to the post-call webhook', async () => {
  const api = await caller();
  const receiver = await startWebhookReceiver();
  try {
    const assistant = await callingAssistant(api, { variables: { name: 'friend' } });
    const webhook = { assistant_id: assistant.id, webhook_url: receiver.url };
    expect((await api.post('/api/user/assistants/enable-webhook', webhook)).status).toBe(200);
    const campaign = await makeCampaign(api, {
      channel: 'call',
      assistant_id: assistant.id,
      retries: { max_attempts: 2, delay_minutes: 5 },
    });
    const phone_number = freshCustomerNumber();
    const lead = dataOf<Lead>(
      await api.post('/api/user/lead', {
        campaign_id: campaign.id,
        phone_number,
        variables: { name: 'Ada' },
      }),
    );
    await api.post('/api/user/campaigns/update-status', { campaign_id: campaign.id, action: 'start' });

    const called = async (count: number): Promise<Call> => {
      const { data } = await eventually(async () => {
        const found = await listOf<Call>(api, '/api/user/calls?status=ringing');
        expect((await listOf<Call>(api, '/api/user/calls')).total).toBe(count);
        expect(found.data).toHaveLength(1);
        return found;
      });
      const [call] = data;
      if (!call) throw new Error('One call rings.');
      return call;
    };
    const first = await called(1);
    expect(first).toMatchObject({
      customer_phone: phone_number,
      lead_id: lead.id,
      campaign_id: campaign.id,
      input_variables: { name: 'Ada' },
    });
    await endCall(first, { outcome: 'no-answer' }, stack.sandboxUrl);
    await callIn(api, first.id, 'no_answer');
    await eventually(() => expect(arrivalsAt(receiver)).toHaveLength(1));
    // The delay begins when the campaign has heard of the end.
    await eventually(async () => expect(await dataOfEvents(api, 'LeadAttemptEnded')).toHaveLength(1));
    await advance(5 * 60 + 1);
    const second = await called(2);
    await endCall(
      second,
      { outcome: 'completed', duration_s: 20, extracted_variables: { interested: true } },
      stack.sandboxUrl,
    );
    await eventually(async () => {
      const { data } = await listOf(api, `/api/user/leads?campaign_id=${campaign.id}`);
      expect(data).toMatchObject([{ id: lead.id, status: 'completed' }]);
    });
    await eventually(() => expect(arrivalsAt(receiver)).toHaveLength(2));
    expect(arrivalsAt(receiver).map(({ body }) => JSON.parse(body))).toMatchObject([
      { event: 'post_call', sequence: 1, id: first.id, status: 'no_answer' },
      {
        event: 'post_call',
        sequence: 2,
        id: second.id,
        status: 'completed',
        duration: 20,
        extracted_variables: { interested: true },
        input_variables: { name: 'Ada' },
        lead: { id: lead.id, phone_number },
        campaign: { id: campaign.id },
      },
    ]);
  } finally {
    await receiver.close();
  }
});

test('a call whose end event never arrives is closed by the deadline, hung up, and its reservation is free again', async () => {
  const api = await caller();
  const { id: assistantId } = await callingAssistant(api, { max_duration: 600 });
  const { id, customer_phone, assistant_phone } = await makeCall(api, assistantId);
  await callIn(api, id, 'ringing');
  // Ringing, the longest call, and a minute for the platform's last words.
  await advance(60 + 600 + 60 - 120);
  expect((await readCall(api, id)).status).toBe('ringing');
  await advance(125);
  expect(await callIn(api, id, 'failed')).toMatchObject({
    duration: 0,
    reason: 'No report of the call came in time.',
    finished_at: expect.any(String),
  });
  await eventually(async () => expect((await readCall(api, id)).cost).toBe('0.00'));
  expect(await balanceOf(api)).toMatchObject({ total_balance: '10.00' });
  // Nobody is on the line any more: what is played now is another call.
  await eventually(async () => {
    const other = { direction: 'outbound', to: customer_phone, from: assistant_phone, outcome: 'busy' };
    expect(await control('calls', other, stack.sandboxUrl)).not.toMatchObject({
      room: expect.stringContaining(`parley-call-${id}-`),
    });
  });
  expect((await readCall(api, id)).status).toBe('failed');
});

test.each([
  ['reject', {}, /rejected/],
  ['error', {}, /does not know/],
  ['reset', {}, /does not know/],
])(
  'a call that the platform answers with %s ends as failed, and costs nothing',
  async (mode, extra, reason) => {
    const api = await caller();
    const { id: assistantId } = await callingAssistant(api);
    await breakVoice('create_call', mode, 1, extra);
    const { id } = await makeCall(api, assistantId);
    if (mode !== 'reject') await advance(31);
    expect((await callIn(api, id, 'failed')).reason).toMatch(reason);
    await eventually(async () => expect((await readCall(api, id)).cost).toBe('0.00'));
    expect(await balanceOf(api)).toMatchObject({ total_balance: '10.00' });
  },
);

test('a call whose answer was lost rings all the same, once', async () => {
  const api = await caller();
  const { id: assistantId } = await callingAssistant(api);
  await breakVoice('create_call', 'error', 1, { takes_effect: true });
  const { id } = await makeCall(api, assistantId);
  const ringing = await callIn(api, id, 'ringing');
  await advance(31);
  await endCall(ringing, { outcome: 'completed', duration_s: 10 }, stack.sandboxUrl);
  await callIn(api, id, 'completed');
  await eventually(async () => expect((await readCall(api, id)).cost).toBe('0.10'));
});

test.each([
  ['reject', 502, { error: 'The voice platform refused the SIP trunk.' }],
  ['error', 503, expect.anything()],
] as const)(
  'a trunk that the platform answers with %s is not saved, and nothing is left there',
  async (mode, status, body) => {
    const [api, impatient] = await callers();
    const trunk = await createSipTrunk(api);
    const wanted = sipTrunkBody();
    await breakVoice('create_trunk', mode);
    const refused = await impatient.post('/api/user/phone-numbers/sip-trunks', wanted);
    expect([refused.status, refused.body]).toEqual([status, body]);
    expect(await platformTrunks(stack.sandboxUrl, wanted)).toEqual({ inbound: [], outbound: [] });
    await breakVoice('update_trunk', mode);
    const path = `/api/user/phone-numbers/sip-trunks/${trunk.id}`;
    const unchanged = await impatient.put(path, { sip_username: 'changed' });
    expect([unchanged.status, unchanged.body]).toEqual([status, body]);
    expect((await api.get('/api/user/phone-numbers/sip-trunks')).body).toEqual({ data: [trunk] });
    expect((await platformTrunks(stack.sandboxUrl, trunk)).inbound).toMatchObject([{ authUsername: 'acme' }]);
    expect((await api.post('/api/user/phone-numbers/sip-trunks', wanted)).status).toBe(201);
  },
);

test('what a lost answer leaves on the platform is cleared away', async () => {
  const [, impatient] = await callers();
  const wanted = sipTrunkBody();
  await breakVoice('create_trunk', 'error', 1, { takes_effect: true });
  expect((await impatient.post('/api/user/phone-numbers/sip-trunks', wanted)).status).toBe(503);
  await eventually(async () =>
    expect(await platformTrunks(stack.sandboxUrl, wanted)).toEqual({ inbound: [], outbound: [] }),
  );
});
