import { deleteLead, findObstacle, listLeads, reopenLead, updateLead } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { startTelephony, type Telephony } from './calling.fixture.ts';
import { accepted } from './other-service.fixture.ts';
import {
  asAccount,
  callCampaignOf,
  dataOf,
  leadOf,
  pass,
  phone,
  rebuildsAreTheSame,
  statuses,
  tell,
  untilWaiting,
} from './outreach.fixture.ts';

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
  let telephony: Telephony;
  beforeAll(async () => {
    telephony = await startTelephony(copies);
  });
  afterAll(() => telephony?.close());

  test('a call that is answered completes its lead', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await telephony.callsOf(lead.id, 1);
    await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
    expect(telephony.askedFor(lead.id)[0]?.payload).toMatchObject({ phone_number: lead.phone_number });
    telephony.endCall(send, lead.id, 'completed', call);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('nobody answers: it is tried again after the delay, then the contacts, then it is no_answer', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const id = await callCampaignOf(send, { retries: { max_attempts: 2, delay_minutes: 1 } });
    const contact = phone();
    const variables = { name: 'Łucja "L"', list: [1, 2.5, { b: null, a: '1' }] };
    const lead = await leadOf(send, id, { secondary_contacts: [{ phone_number: contact, variables }] });
    await tell(send, id, 'start');
    telephony.endCall(send, lead.id, 'no_answer', await telephony.callsOf(lead.id, 1));
    await untilWaiting(copies, send);
    expect(await statuses(send)).toEqual(['queued']);
    await pass(copies, 61);
    telephony.endCall(send, lead.id, 'busy', await telephony.callsOf(lead.id, 2));
    const third = await telephony.callsOf(lead.id, 3);
    expect(telephony.askedFor(lead.id)[2]?.payload).toMatchObject({ phone_number: contact });
    telephony.endCall(send, lead.id, 'failed', third);
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    const [shown] = dataOf(await send(listLeads, {}));
    expect(shown.secondary_contacts).toMatchObject([{ phone_number: contact, variables, status: 'failed' }]);
  });

  test('a call that ends while its campaign is stopped counts, also when nobody knew that it was placed', async () => {
    const send = asAccount(copies);
    telephony.answer(() => ({ kind: 'rejected', rejection: { code: 'unavailable' } }));
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    await telephony.callsOf(lead.id, 1);
    await tell(send, id, 'stop');
    await untilWaiting(copies, send);
    telephony.endCall(send, lead.id, 'completed', telephony.nextCall());
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('what stands against a call that still waits for its turn is told to whoever asks', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    await telephony.callsOf(lead.id, 1);
    const obstacle = async (by = send) => {
      const reply = await copies.send(findObstacle, { lead_id: lead.id }, { accountId: by.accountId });
      return reply.kind === 'ok' && JSON.parse(reply.body).obstacle;
    };
    expect(await obstacle()).toBeNull();
    expect(await obstacle(asAccount(copies))).toBe('The lead was deleted.');
    await send(updateLead, { id: lead.id, phone_number: phone() });
    expect(await obstacle()).toBe('The phone number was changed.');
    await tell(send, id, 'stop');
    expect(await obstacle()).toBe('The campaign was stopped.');
    await send(deleteLead, { id: lead.id });
    expect(await obstacle()).toBe('The lead was deleted.');
  });

  test('a lead that is more than a request can carry has failed, and takes up no place', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const mapping = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, 'notes']));
    const id = await callCampaignOf(send, { variable_mapping: mapping });
    const lead = await leadOf(send, id, { variables: { notes: 'x'.repeat(300_000) } });
    await tell(send, id, 'start');
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    expect(telephony.askedFor(lead.id)).toEqual([]);
  });

  test('at most ten calls of a campaign go on at once', async () => {
    const send = asAccount(copies);
    telephony.answer(async () => {
      await pass(copies, 2);
      return accepted(String(telephony.nextCall()));
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
    telephony.endCall(send, Number(first?.payload.lead_id), 'completed', Number(rows[0].reference));
    await eventually(async () =>
      expect((await statuses(send)).filter((status) => status === 'created')).toHaveLength(2),
    );
  });

  test('a lead that failed is called again at its right number once it is reopened, while its campaign runs', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const wrong = await telephony.callsOf(lead.id, 1);
    expect(await send(reopenLead, { id: lead.id })).toMatchObject({
      kind: 'rejected',
      rejection: { fields: { status: [expect.any(String)] } },
    });
    telephony.endCall(send, lead.id, 'failed', wrong);
    await eventually(async () => expect(await statuses(send)).toEqual(['failed']));
    const phone_number = phone();
    await send(updateLead, { id: lead.id, phone_number });
    expect(dataOf(await send(reopenLead, { id: lead.id }))).toMatchObject({
      status: 'created',
      phone_number,
    });
    const right = await telephony.callsOf(lead.id, 2);
    expect(telephony.askedFor(lead.id)[1]?.payload).toMatchObject({ phone_number });
    telephony.endCall(send, lead.id, 'completed', right);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });

  test('a deleted lead is left in peace by the call that was about it', async () => {
    const send = asAccount(copies);
    telephony.placesCalls();
    const id = await callCampaignOf(send);
    const lead = await leadOf(send, id);
    await tell(send, id, 'start');
    const call = await telephony.callsOf(lead.id, 1);
    await send(deleteLead, { id: lead.id });
    telephony.endCall(send, lead.id, 'completed', call);
    const next = await leadOf(send, id);
    const nextCall = await telephony.callsOf(next.id, 1);
    telephony.endCall(send, next.id, 'completed', nextCall);
    await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  });
});

rebuildsAreTheSame(() => copies);
