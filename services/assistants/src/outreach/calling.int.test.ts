import {
  CallEnded,
  CallNotPlaced,
  deleteLead,
  listCampaigns,
  listLeads,
  placeCall,
  reopenLead,
  updateLead,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { accepted, type OtherService, startOtherService } from './other-service.fixture.ts';
import {
  asAccount,
  callCampaignOf,
  dataOf,
  leadOf,
  phone,
  rebuildsAreTheSame,
  type Send,
  statuses,
  tell,
  untilWaiting,
} from './outreach.fixture.ts';
import { paceTimerId } from './pacing/pace-timer.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

describe('while its service is not there', () => {
  test('a running campaign’s leads are queued and wait; stopping takes them back', async () => {
    const send = asAccount(copies);
    const id = await callCampaignOf(send);
    await leadOf(send, id);
    expect(await statuses(send)).toEqual(['created']);
    expect((await tell(send, id, 'start')).status).toBe('running');
    await eventually(async () => expect(await statuses(send)).toEqual(['queued']));
    expect((await tell(send, id, 'stop')).status).toBe('stopped');
    await untilWaiting(copies, send);
  });

  test('nobody is called late: what is still queued when the window closes waits for the next one', async () => {
    const send = asAccount(copies);
    const { rows } =
      await copies.pool.query(`select to_char(es.now() at time zone 'UTC' - interval '1 hour', 'HH24:MI') as from,
      to_char(es.now() at time zone 'UTC' + interval '1 hour', 'HH24:MI') as to`);
    const windows = [{ days: [1, 2, 3, 4, 5, 6, 7], ...rows[0] }];
    const id = await callCampaignOf(send, { timezone: 'UTC', windows });
    await leadOf(send, id);
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['queued']));
    await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 3700');
    await untilWaiting(copies, send);
    await tell(send, id, 'stop');
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
  function endCall(send: Send, leadId: number, status: string, callId: number, duration_s = 3): void {
    const [asked] = askedFor(leadId).slice(-1);
    telephony.publish(CallEnded.type, 'call', send.accountId, {
      call_id: callId,
      direction: 'outbound',
      assistant_id: 1,
      customer_phone: String(asked?.payload.phone_number),
      assistant_phone: '+14155550002',
      status,
      duration_s,
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

  /** Moves the clock of the platform ahead. */
  async function pass(seconds: number): Promise<void> {
    await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + $1', [seconds]);
    await copies.pool.query(`select pg_notify('es_timers', '')`);
  }

  test('a call that is answered completes its lead', async () => {
    const send = asAccount(copies);
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
    const send = asAccount(copies);
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send, { retries: { max_attempts: 2, delay_minutes: 1 } });
    const contact = phone();
    const variables = { name: 'Łucja "L"', list: [1, 2.5, { b: null, a: '1' }] };
    const lead = await leadOf(send, id, { secondary_contacts: [{ phone_number: contact, variables }] });
    await tell(send, id, 'start');
    endCall(send, lead.id, 'no_answer', await callsOf(lead.id, 1));
    await untilWaiting(copies, send);
    expect(await statuses(send)).toEqual(['queued']);
    await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 61');
    await copies.pool.query(`select pg_notify('es_timers', '')`);
    endCall(send, lead.id, 'busy', await callsOf(lead.id, 2));
    const third = await callsOf(lead.id, 3);
    expect(askedFor(lead.id)[2]?.payload).toMatchObject({ phone_number: contact });
    endCall(send, lead.id, 'failed', third);
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    const [shown] = dataOf(await send(listLeads, {}));
    expect(shown.secondary_contacts).toMatchObject([{ phone_number: contact, variables, status: 'failed' }]);
  });

  test.each([
    ['fail', 'failed', 3, 'At least the last 20 calls have failed.'],
    [
      'are answered while no agent is there',
      'completed',
      0,
      'No agent has told of at least the last 20 calls that were answered.',
    ],
  ])(
    'a campaign whose calls %s, one after the other, calls once in a quarter of an hour, and says why, until one is answered',
    async (_, end, durationS, reason) => {
      const send = asAccount(copies);
      const endAs = (status: string, duration?: number) =>
        telephony.answer(async ({ payload }) => {
          calls += 1;
          endCall(send, Number(payload.lead_id), status, calls, duration);
          await pass(2);
          return accepted(String(calls));
        });
      endAs(end, durationS);
      const id = await callCampaignOf(send);
      for (let count = 0; count < 32; count += 1) await leadOf(send, id);
      await tell(send, id, 'start');
      const asked = () =>
        telephony.asked.filter(({ context }) => context.accountId === send.accountId).length;
      const heldUp = async () => dataOf(await send(listCampaigns, {}))[0].held_up;
      await eventually(async () => expect(await heldUp()).toMatchObject({ reason }));
      // Those that are under way by then fail as well.
      await eventually(async () => {
        const { rows } = await copies.pool.query<{ rests: boolean }>(
          `select due_at > es.now() + interval '10 minutes' as rests from es.timers where id = $1`,
          [paceTimerId(id)],
        );
        expect(rows).toEqual([{ rests: true }]);
      });
      const spent = asked();
      expect(spent).toBeLessThan(31);
      await pass(900);
      await eventually(() => expect(asked()).toBe(spent + 1));
      await eventually(async () => expect(await heldUp()).not.toBeNull());
      endAs('completed');
      // Whoever has put it right does not wait.
      await tell(send, id, 'start');
      expect(await heldUp()).toBeNull();
      await eventually(() => expect(asked()).toBe(32));
      await eventually(async () => expect(await statuses(send)).not.toContain('in_progress'));
      expect(await heldUp()).toBeNull();
    },
  );

  test('a campaign that waits for money goes on once one of its calls is over, which frees what was set aside', async () => {
    const send = asAccount(copies);
    let isBroke = false;
    telephony.answer(() =>
      isBroke ? { kind: 'rejected', rejection: { code: 'insufficient_balance' } } : accepted(String(++calls)),
    );
    const id = await callCampaignOf(send);
    const first = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await callsOf(first.id, 1);
    await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
    isBroke = true;
    await leadOf(send, id);
    const heldUp = async () => dataOf(await send(listCampaigns, { page: 1, per_page: 1 }))[0].held_up;
    await eventually(async () => expect(await heldUp()).not.toBeNull());
    const third = await leadOf(send, id);
    await pass(6);
    isBroke = false;
    endCall(send, first.id, 'completed', call);
    await callsOf(third.id, 1);
    expect(await heldUp()).toBeNull();
    await tell(send, id, 'stop');
  });

  test('whom a campaign had no money for is called once one of its calls is over, also where nobody else is left', async () => {
    const send = asAccount(copies);
    let isBroke = false;
    telephony.answer(() =>
      isBroke ? { kind: 'rejected', rejection: { code: 'insufficient_balance' } } : accepted(String(++calls)),
    );
    const id = await callCampaignOf(send);
    const first = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await callsOf(first.id, 1);
    await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
    isBroke = true;
    const second = await leadOf(send, id);
    const heldUp = async () => dataOf(await send(listCampaigns, {}))[0].held_up;
    await eventually(async () => expect(await heldUp()).not.toBeNull());
    isBroke = false;
    endCall(send, first.id, 'completed', call);
    await callsOf(second.id, 2);
  });

  test('nobody has failed whom the voice platform was not there to call: they are called a minute later', async () => {
    const send = asAccount(copies);
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send, { retries: { max_attempts: 1, delay_minutes: 1 } });
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const call_id = await callsOf(lead.id, 1);
    const about = { reason: 'away', lead_id: lead.id, may_pass_later: true };
    const { type, version } = CallNotPlaced;
    telephony.publish(type, 'call', send.accountId, { call_id, ...about }, version);
    endCall(send, lead.id, 'failed', call_id);
    await untilWaiting(copies, send);
    expect(await statuses(send)).toEqual(['queued']);
    await pass(61);
    endCall(send, lead.id, 'completed', await callsOf(lead.id, 2));
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('a call that ends while its campaign is stopped counts, also when nobody knew that it was placed', async () => {
    const send = asAccount(copies);
    telephony.answer(() => ({ kind: 'rejected', rejection: { code: 'unavailable' } }));
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    await callsOf(lead.id, 1);
    await tell(send, id, 'stop');
    await untilWaiting(copies, send);
    calls += 1;
    endCall(send, lead.id, 'completed', calls);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('a lead that is more than a request can carry has failed, and takes up no place', async () => {
    const send = asAccount(copies);
    telephony.answer(() => accepted(String(++calls)));
    const mapping = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'notes']));
    const id = await callCampaignOf(send, { variable_mapping: mapping });
    const lead = await leadOf(send, id, { variables: { notes: 'x'.repeat(300_000) } });
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    expect(askedFor(lead.id)).toEqual([]);
  });

  test('at most ten calls of a campaign go on at once', async () => {
    const send = asAccount(copies);
    telephony.answer(async () => {
      calls += 1;
      await pass(2);
      return accepted(String(calls));
    });
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

  test('a lead that failed is called again at its right number once it is reopened, while its campaign runs', async () => {
    const send = asAccount(copies);
    telephony.answer(() => accepted(String(++calls)));
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const wrong = await callsOf(lead.id, 1);
    expect(await send(reopenLead, { id: lead.id })).toMatchObject({
      kind: 'rejected',
      rejection: { fields: { status: [expect.any(String)] } },
    });
    endCall(send, lead.id, 'failed', wrong);
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    const phone_number = phone();
    await send(updateLead, { id: lead.id, phone_number });
    expect(dataOf(await send(reopenLead, { id: lead.id }))).toMatchObject({
      status: 'created',
      phone_number,
    });
    const right = await callsOf(lead.id, 2);
    expect(askedFor(lead.id)[1]?.payload).toMatchObject({ phone_number });
    endCall(send, lead.id, 'completed', right);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('a deleted lead is left in peace by the call that was about it', async () => {
    const send = asAccount(copies);
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

rebuildsAreTheSame(() => copies);
