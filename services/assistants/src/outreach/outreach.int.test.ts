import {
  CallEnded,
  checkTemplate,
  createAssistant,
  createCampaign,
  createLead,
  deleteLead,
  getHistory,
  getVerification,
  listLeads,
  type OperationDefinition,
  placeCall,
  sendChatAppTemplate,
  updateCampaignStatus,
  verifyProjection,
} from '@parley/contracts';
import type { BusReply, MessageContext } from '@parley/message-bus';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { accepted, type OtherService, sent, startOtherService } from './other-service.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

let accounts = 500;
let numbers = 3000;
const phone = () => `+1415555${++numbers}`;

function asAccount() {
  accounts += 1;
  const accountId = accounts;
  const send = (operation: OperationDefinition, payload: object, context: Partial<MessageContext> = {}) =>
    copies.send(operation, payload, { accountId, actor: { kind: 'api_key', id: '41' }, ...context });
  return Object.assign(send, { accountId });
}
type Send = ReturnType<typeof asAccount>;

const dataOf = (reply: BusReply) => {
  if (reply.kind === 'rejected') throw new Error(JSON.stringify(reply.rejection));
  return JSON.parse(reply.body).data;
};

const chatapp = { channel: 'chatapp', sender_id: 7, template_id: 8, variable_mapping: { '1': 'name' } };
const campaignOf = async (send: Send, settings: object = chatapp): Promise<number> =>
  dataOf(await send(createCampaign, { name: 'Spring', ...settings })).id;
const callCampaignOf = async (send: Send, settings: object = {}): Promise<number> => {
  const assistant = dataOf(
    await send(createAssistant, {
      name: 'Caller',
      type: 'outbound',
      mode: 'pipeline',
      voice_id: 1,
      language_id: 1,
      llm_model_id: 1,
      timezone: 'UTC',
      initial_message: 'Hello',
      system_prompt: 'Be kind.',
    }),
  );
  return campaignOf(send, { channel: 'call', assistant_id: assistant.id, ...settings });
};
const leadOf = async (send: Send, campaign_id: number, more: object = {}) =>
  dataOf(await send(createLead, { campaign_id, phone_number: phone(), ...more }));
const tell = async (send: Send, campaign_id: number, action: 'start' | 'stop') =>
  dataOf(await send(updateCampaignStatus, { campaign_id, action }));
const statuses = async (send: Send): Promise<string[]> =>
  dataOf(await send(listLeads, { per_page: 100 })).map(({ status }: { status: string }) => status);

/** Until the account's one lead waits for its next attempt. */
const untilWaiting = (send: Send) =>
  eventually(async () => {
    const { rows } = await copies.pool.query(
      `select is_in_flight, waits_from is not null as waits from view_leads_v1.items where account_id = $1`,
      [send.accountId],
    );
    expect(rows).toEqual([{ is_in_flight: false, waits: true }]);
  });

describe('while its service is not there', () => {
  test('a running campaign’s leads are queued and wait; stopping takes them back', async () => {
    const send = asAccount();
    const id = await callCampaignOf(send);
    await leadOf(send, id);
    expect(await statuses(send)).toEqual(['created']);
    expect((await tell(send, id, 'start')).status).toBe('running');
    await eventually(async () => expect(await statuses(send)).toEqual(['queued']));
    expect((await tell(send, id, 'stop')).status).toBe('stopped');
    await untilWaiting(send);
  });
});

test('a chat-app campaign needs messaging’s word for its template', async () => {
  const send = asAccount();
  expect(await send(createCampaign, { name: 'Spring', ...chatapp })).toMatchObject({
    rejection: { code: 'unavailable' },
  });
  for (const [outcome, field] of [
    ['sender_not_found', 'sender_id'],
    ['template_not_found', 'template_id'],
    ['template_not_approved', 'template_id'],
  ]) {
    const known = { message: checkTemplate, answer: { outcome } };
    const messaging = await startOtherService(copies.natsUrl, 'messaging', [], [known]);
    const answer = await send(createCampaign, { name: 'Spring', ...chatapp });
    expect(answer).toMatchObject({
      rejection: { code: 'invalid', fields: { [`${field}`]: [expect.any(String)] } },
    });
    await messaging.close();
  }
});

describe('with messaging there', () => {
  let messaging: OtherService;
  beforeAll(async () => {
    const known = { message: checkTemplate, answer: { outcome: 'ok' } };
    messaging = await startOtherService(copies.natsUrl, 'messaging', [sendChatAppTemplate], [known]);
    messaging.answer(() => sent(1));
  });
  afterAll(() => messaging?.close());
  const askedBy = (send: Send) =>
    messaging.asked.filter(({ context }) => context.accountId === send.accountId);

  test('a running chat-app campaign sends its template to every lead once, and they are completed', async () => {
    const send = asAccount();
    const id = await campaignOf(send);
    const first = await leadOf(send, id, { variables: { name: 'Ada', city: 'Hamburg' } });
    await tell(send, id, 'start');
    const second = await leadOf(send, id, { variables: { name: 'Eve' } });
    await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
    expect(askedBy(send).map(({ payload }) => payload)).toEqual([
      {
        sender_id: 7,
        template_id: 8,
        recipient_phone: first.phone_number,
        variables: { '1': 'Ada', name: 'Ada', city: 'Hamburg' },
      },
      expect.objectContaining({
        recipient_phone: second.phone_number,
        variables: { '1': 'Eve', name: 'Eve' },
      }),
    ]);
    const { changes } = await copies.ask(getHistory, { resource: `lead/${first.id}` });
    expect(changes.map(({ event }) => event)).toEqual([
      'LeadCreated',
      'LeadQueued',
      'LeadAttemptStarted',
      'LeadAttemptEnded',
    ]);
  });

  test('what messaging refuses is failed with its reason; what it asks to repeat later is repeated', async () => {
    const send = asAccount();
    const id = await campaignOf(send);
    const refused = await leadOf(send, id);
    const later = await leadOf(send, id);
    let isSlow = true;
    messaging.answer(({ payload }) => {
      if (payload.recipient_phone === refused.phone_number)
        return { kind: 'rejected', rejection: { code: 'invalid', message: 'The sender is offline.' } };
      if (!isSlow) return sent(1);
      isSlow = false;
      return { kind: 'rejected', rejection: { code: 'too_many_attempts', retryAfterSeconds: 1 } };
    });
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'failed']));
    const { changes } = await copies.ask(getHistory, { resource: `lead/${refused.id}` });
    expect(changes.at(-1)?.after).toMatchObject({ status: 'failed' });
    const attempts = askedBy(send).filter(({ payload }) => payload.recipient_phone === later.phone_number);
    expect(new Set(attempts.map(({ context }) => context.commandId)).size).toBe(2);
    messaging.answer(() => sent(2));
  });

  test('a stopped campaign sends nothing, and goes on where it was', async () => {
    const send = asAccount();
    const id = await campaignOf(send);
    for (let n = 0; n < 12; n += 1) await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toContain('completed'));
    await tell(send, id, 'stop');
    const after = (await statuses(send)).filter((status) => status === 'completed').length;
    await eventually(async () => expect(await statuses(send)).not.toContain('in_progress'));
    // One attempt may have been under way when the campaign was stopped.
    expect(askedBy(send).length - after).toBeLessThanOrEqual(1);
    await tell(send, id, 'start');
    await eventually(async () => expect(new Set(await statuses(send))).toEqual(new Set(['completed'])));
    expect(askedBy(send)).toHaveLength(12);
  });

  test('outside its windows a campaign waits for the next one', async () => {
    const send = asAccount();
    const { rows } =
      await copies.pool.query(`select to_char(es.now() at time zone 'UTC' + interval '2 hours', 'HH24:MI') as later,
      to_char(es.now() at time zone 'UTC' + interval '3 hours', 'HH24:MI') as end`);
    const id = await campaignOf(send, {
      ...chatapp,
      windows: [{ days: [1, 2, 3, 4, 5, 6, 7], from: rows[0].later, to: rows[0].end }],
    });
    await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => {
      const timers = await copies.pool.query(
        `select due_at > es.now() + interval '1 hour' as is_later from es.timers where id = $1`,
        [`pace-campaign:${id}`],
      );
      expect(timers.rows).toEqual([{ is_later: true }]);
    });
    expect(await statuses(send)).toEqual(['created']);
  });
});

describe('with telephony there', () => {
  let telephony: OtherService;
  beforeAll(async () => {
    telephony = await startOtherService(copies.natsUrl, 'telephony', [placeCall]);
  });
  afterAll(() => telephony?.close());

  let calls = 9000;
  /** The call that the lead's newest attempt placed is over. */
  function endCall(send: Send, leadId: number, status: string, callId: number): void {
    telephony.publish(CallEnded.type, 'call', send.accountId, {
      call_id: callId,
      direction: 'outbound',
      assistant_id: 1,
      customer_phone: '+14155550001',
      assistant_phone: '+14155550002',
      status,
      duration_s: 3,
      transcript: [],
      recording_url: null,
      extracted_variables: {},
      input_variables: {},
      lead_id: leadId,
      campaign_id: null,
      created_at: '2026-11-21T09:30:00Z',
      finished_at: '2026-11-21T09:30:03Z',
    });
  }
  const askedFor = (leadId: number) => telephony.asked.filter(({ payload }) => payload.lead_id === leadId);
  const callsOf = async (leadId: number, count: number): Promise<number> => {
    await eventually(() => expect(askedFor(leadId)).toHaveLength(count));
    return calls;
  };

  test('a call that is answered completes its lead', async () => {
    const send = asAccount();
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await callsOf(lead.id, 1);
    await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
    expect(askedFor(lead.id)[0]?.payload).toMatchObject({ phone_number: lead.phone_number });
    endCall(send, lead.id, 'completed', call);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('nobody answers: it is tried again after the delay, then the contacts, then it is no_answer', async () => {
    const send = asAccount();
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send, { retries: { max_attempts: 2, delay_minutes: 1 } });
    const contact = phone();
    const lead = await leadOf(send, id, { secondary_contacts: [{ phone_number: contact }] });
    await tell(send, id, 'start');
    endCall(send, lead.id, 'no_answer', await callsOf(lead.id, 1));
    await untilWaiting(send);
    expect(await statuses(send)).toEqual(['queued']);
    await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 61');
    await copies.pool.query(`select pg_notify('es_timers', '')`);
    endCall(send, lead.id, 'busy', await callsOf(lead.id, 2));
    const third = await callsOf(lead.id, 3);
    expect(askedFor(lead.id)[2]?.payload).toMatchObject({ phone_number: contact });
    endCall(send, lead.id, 'failed', third);
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    const [shown] = dataOf(await send(listLeads, {}));
    expect(shown.secondary_contacts).toMatchObject([{ phone_number: contact, status: 'failed' }]);
  });

  test('at most ten calls of a campaign go on at once', async () => {
    const send = asAccount();
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send);
    for (let n = 0; n < 13; n += 1) await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () =>
      expect((await statuses(send)).filter((status) => status === 'in_progress')).toHaveLength(10),
    );
    const [first] = telephony.asked.filter(({ context }) => context.accountId === send.accountId);
    expect(await statuses(send)).toContain('created');
    const { rows } = await copies.pool.query(
      `select data ->> 'reference' as reference from es.events where type = 'LeadAttemptStarted' and stream_id = $1`,
      [`lead-${first?.payload.lead_id}`],
    );
    endCall(send, Number(first?.payload.lead_id), 'completed', Number(rows[0].reference));
    await eventually(async () =>
      expect((await statuses(send)).filter((status) => status === 'created')).toHaveLength(2),
    );
  });

  test('a deleted lead is left in peace by the call that was about it', async () => {
    const send = asAccount();
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await callsOf(lead.id, 1);
    await send(deleteLead, { id: lead.id });
    endCall(send, lead.id, 'completed', call);
    const next = await leadOf(send, id);
    const nextCall = await callsOf(next.id, 1);
    endCall(send, next.id, 'completed', nextCall);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });
});

test.each(['campaigns', 'leads'])(
  'a rebuild of %s gives the rows that all this has led to',
  async (projection) => {
    await eventually(() => copies.ask(verifyProjection, { projection }));
    await eventually(async () => {
      const { status, differences, rows } = await copies.ask(getVerification, { projection });
      expect({ status, differences }).toEqual({ status: 'done', differences: [] });
      expect(rows).toBeGreaterThan(5);
    });
  },
);
