import {
  CallEnded,
  CallRecordingAdded,
  chainHeader,
  createAssistant,
  createCampaign,
  createLead,
  disableInboundWebhook,
  disableWebhook,
  enableInboundWebhook,
  enableWebhook,
  updateAssistant,
  webhookBodies,
} from '@parley/contracts';
import { eventually, golden, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { assistantsService } from '../../assistants-service.ts';
import { type OtherService, startOtherService } from '../../outreach/other-service.fixture.ts';
import { busy, type Receiver, startReceiver, withStatus } from '../sending/receiver.fixture.ts';
import { createClockMover, createCustomer } from '../webhooks.fixture.ts';

let copies: ServiceCopies;
let telephony: OtherService;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2, { ALLOW_LOOPBACK_REQUESTS: 'true' });
  // The service was there first, and has waited for it.
  telephony = await startOtherService(copies.natsUrl, 'telephony', []);
});
afterAll(async () => {
  await telephony?.close();
  await copies?.close();
});

type Call = z.output<typeof CallEnded.data>;
const [ended] = golden<{ data: Call }>('CallEnded.v1');
let calls = 0;

async function setUp() {
  const endpoint = await startReceiver();
  onTestFinished(() => endpoint.close());
  const customer = createCustomer(copies);
  const { data } = await customer.call(createAssistant, {
    name: 'Office',
    type: 'inbound',
    mode: 'pipeline',
    voice_id: 1,
    language_id: 1,
    llm_model_id: 1,
    timezone: 'Europe/Berlin',
    initial_message: 'Hello!',
    system_prompt: 'Be kind.',
  });
  const assistant_id = data.id;
  return {
    ...customer,
    endpoint,
    assistant_id,
    turnOn: (event: 'post_call' | 'inbound_call') =>
      customer.call(event === 'post_call' ? enableWebhook : enableInboundWebhook, {
        assistant_id,
        webhook_url: `${endpoint.url}/${event}`,
      }),
    turnOff: (event: 'post_call' | 'inbound_call') =>
      customer.call(event === 'post_call' ? disableWebhook : disableInboundWebhook, { assistant_id }),
    /** A call that is over; its id. */
    callEnds(change: Partial<Call> = {}, chainDepth?: number): number {
      calls += 1;
      const call = { ...CallEnded.data.parse(ended?.data), lead_id: null, campaign_id: null };
      const data = { ...call, call_id: calls, assistant_id, ...change };
      telephony.publish(CallEnded.type, 'call', customer.accountId, data, CallEnded.version, chainDepth);
      return calls;
    },
    recordingComes: (call_id: number, recording_url: string) =>
      telephony.publish(CallRecordingAdded.type, 'call', customer.accountId, { call_id, recording_url }),
    /** Waits until webhooks about these calls, and nothing else, have arrived. */
    arrived: (...expected: (readonly [event: string, callId: number])[]) => arrived(endpoint, expected),
  };
}

const bodiesAt = (endpoint: Receiver) => endpoint.received.map(({ body }) => JSON.parse(body));

async function arrived(endpoint: Receiver, expected: readonly (readonly [string, number])[]) {
  const sorted = (list: readonly (readonly [string, number])[]) =>
    list.map((each) => each.join(' ')).toSorted();
  await eventually(() => {
    const seen = bodiesAt(endpoint).map(({ event, id }): [string, number] => [event, id]);
    expect(sorted(seen)).toEqual(sorted(expected));
  });
}

test('an outbound call is told to the post-call webhook, with its lead and campaign', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  const campaign = (await it.call(createCampaign, { name: 'Frühling', channel: 'sms', body: 'Hi' })).data;
  const lead = await it.call(createLead, {
    campaign_id: campaign.id,
    phone_number: '+4930901820',
    variables: { name: 'Zoë' },
  });
  const id = it.callEnds({ lead_id: lead.data.id, campaign_id: campaign.id });
  await it.arrived(['post_call', id]);
  const [webhook] = it.endpoint.received;
  if (!webhook) throw new Error('It has arrived.');
  const secret = new Webhook(await it.secret());
  const body = secret.verify(webhook.body, webhook.headers as Record<string, string>);
  expect(webhookBodies.post_call.strict().parse(body)).toMatchObject({
    event: 'post_call',
    sequence: 1,
    id,
    assistant_id: it.assistant_id,
    direction: 'outbound',
    duration: ended?.data.duration_s,
    transcript: ended?.data.transcript,
    extracted_variables: ended?.data.extracted_variables,
    lead: { id: lead.data.id, phone_number: '+4930901820', variables: { name: 'Zoë' } },
    campaign: { id: campaign.id, name: 'Frühling' },
  });
  expect(body).not.toHaveProperty('recording_url');
  expect(webhook.path).toBe('/hook/post_call');
});

test('the webhook of a call that a run led to says how deep that is, for its receiver may start another run', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  const byRun = it.callEnds({}, 3);
  const byNone = it.callEnds();
  await it.arrived(['post_call', byRun], ['post_call', byNone]);
  const told = it.endpoint.received.map(({ body, headers }) => [JSON.parse(body).id, headers[chainHeader]]);
  expect(new Map(told as [number, unknown][])).toEqual(
    new Map([
      [byRun, '3'],
      [byNone, undefined],
    ]),
  );
});

test('an inbound call is told to the inbound webhook, and to the post-call webhook when that is on', async () => {
  const it = await setUp();
  await it.turnOn('inbound_call');
  const first = it.callEnds({ direction: 'inbound' });
  await it.arrived(['inbound_call', first]);
  await it.turnOn('post_call');
  const second = it.callEnds({ direction: 'inbound' });
  await it.arrived(['inbound_call', first], ['inbound_call', second], ['post_call', second]);
  const numbers = bodiesAt(it.endpoint).map(({ event, sequence }) => `${event} ${sequence}`);
  expect(numbers.toSorted()).toEqual(['inbound_call 1', 'inbound_call 2', 'post_call 1']);
  for (const body of bodiesAt(it.endpoint)) {
    expect(webhookBodies[body.event as 'post_call'].strict().safeParse(body).error).toBeUndefined();
  }
});

test('the settings of the moment decide: recording, completed calls only, another account', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  await it.call(updateAssistant, {
    id: it.assistant_id,
    send_webhook_only_on_completed: true,
    include_recording_in_webhook: true,
  });
  for (const status of ['no_answer', 'busy', 'failed'] as const) it.callEnds({ status });
  telephony.publish(CallEnded.type, 'call', it.accountId + 5000, {
    ...ended?.data,
    assistant_id: it.assistant_id,
  });
  it.callEnds({ assistant_id: null });
  it.callEnds({ assistant_id: 999_999_999 });
  const completed = it.callEnds({ recording_url: 'https://recordings.example/1.mp3' });
  await it.arrived(['post_call', completed]);
  expect(bodiesAt(it.endpoint)[0].recording_url).toBe('https://recordings.example/1.mp3');
});

test('a webhook with the recording waits for it, others do not, and not for ever', async () => {
  const advance = createClockMover(copies);
  const it = await setUp();
  await it.turnOn('post_call');
  const first = it.callEnds({ recording_url: null, recording_follows: true });
  await it.arrived(['post_call', first]);
  await it.call(updateAssistant, { id: it.assistant_id, include_recording_in_webhook: true });
  const [recorded, never] = [1, 2].map(() => it.callEnds({ recording_url: null, recording_follows: true }));
  const unrecorded = it.callEnds({ recording_url: null });
  if (!recorded || !never) throw new Error('There are two.');
  await it.arrived(['post_call', first], ['post_call', unrecorded]);
  it.recordingComes(recorded, 'https://recordings.example/2.mp3');
  it.recordingComes(recorded, 'https://recordings.example/again.mp3');
  await it.arrived(...[first, unrecorded, recorded].map((id) => ['post_call', id] as const));
  await advance(60);
  const witness = it.callEnds({ recording_url: null });
  await it.arrived(...[first, unrecorded, recorded, witness].map((id) => ['post_call', id] as const));
  await advance(60);
  await it.arrived(...[first, unrecorded, recorded, witness, never].map((id) => ['post_call', id] as const));
  it.recordingComes(never, 'https://recordings.example/late.mp3');
  const last = it.callEnds({ recording_url: null });
  await eventually(() => expect(bodiesAt(it.endpoint).map(({ id }) => id)).toContain(last));
  const urls = bodiesAt(it.endpoint).map(({ id, recording_url }) => [id, recording_url]);
  expect(urls.toSorted()).toEqual([
    [first, undefined],
    [recorded, 'https://recordings.example/2.mp3'],
    [never, null],
    [unrecorded, null],
    [witness, null],
    [last, null],
  ]);
});

test('nothing is told of a call with somebody who is erased', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  it.callEnds({ customer_phone: 'erased:0197a6d0-0000-7000-8000-000000000081', transcript: [] });
  await it.arrived(['post_call', it.callEnds()]);
});

test('a webhook that is off gets nothing, and what waits for it is cancelled while the calls stay', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  await it.turnOn('inbound_call');
  it.endpoint.answer = busy;
  it.callEnds({ direction: 'inbound' });
  await eventually(async () => {
    const items = await it.deliveries({ assistant_id: it.assistant_id });
    expect(items.map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  });
  await it.turnOff('post_call');
  await eventually(async () => {
    const items = await it.deliveries();
    expect(Object.fromEntries(items.map(({ event, status }) => [event, status]))).toEqual({
      post_call: 'cancelled',
      inbound_call: 'pending',
    });
  });
  await it.turnOff('inbound_call');
  await eventually(async () => expect(await it.deliveries({ status: 'cancelled' })).toHaveLength(2));
  const untold = it.callEnds({ direction: 'inbound' });
  it.endpoint.answer = withStatus(200);
  // Calls are looked at one after the other.
  const witness = await setUp();
  await witness.turnOn('post_call');
  await witness.arrived(['post_call', witness.callEnds()]);
  await it.turnOn('inbound_call');
  const last = it.callEnds({ direction: 'inbound' });
  await eventually(() =>
    expect(bodiesAt(it.endpoint).at(-1)).toMatchObject({ event: 'inbound_call', id: last }),
  );
  expect(bodiesAt(it.endpoint).map(({ id }) => id)).not.toContain(untold);
  expect(it.endpoint.received.filter(({ body }) => JSON.parse(body).event === 'post_call')).toHaveLength(1);
});

test('an endpoint that is gone is turned off in the settings of its assistant', async () => {
  const it = await setUp();
  await it.turnOn('post_call');
  it.endpoint.answer = withStatus(410);
  it.callEnds();
  await eventually(async () => expect(await it.deliveries({ status: 'cancelled' })).toHaveLength(1));
  await eventually(async () => {
    const { rows } = await copies.pool.query(
      `select metadata -> 'actor' ->> 'id' as actor, data ->> 'reason' as reason, schema_version as version
       from es.events where type = 'WebhookDisabled' and account_id = $1`,
      [it.accountId],
    );
    expect(rows).toEqual([{ actor: 'turn-off-webhook-endpoints', reason: 'gone', version: 3 }]);
  });
});
