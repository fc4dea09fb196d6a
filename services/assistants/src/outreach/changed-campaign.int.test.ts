import { listCampaigns, listLeads, SmsUndeliverable, updateCampaign } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { startTelephony, type Telephony } from './calling.fixture.ts';
import {
  asAccount,
  callCampaignOf,
  callerOf,
  campaignOf,
  dataOf,
  heldUpOf,
  leadOf,
  pass,
  phone,
  rebuildsAreTheSame,
  type Send,
  statuses,
  tell,
  untilLater,
  untilWaiting,
} from './outreach.fixture.ts';

let copies: ServiceCopies;
let telephony: Telephony;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
  telephony = await startTelephony(copies);
});
afterAll(async () => {
  await telephony?.close();
  await copies?.close();
});

const change = async (send: Send, id: number, changed: object) =>
  dataOf(await send(updateCampaign, { id, ...changed }));

/** A window that is not open now, and will not be in the next hours. */
async function later(): Promise<object[]> {
  const { rows } = await copies.pool.query(
    `select to_char(es.now() at time zone 'UTC' + interval '10 hours', 'HH24:MI') as from,
       to_char(es.now() at time zone 'UTC' + interval '12 hours', 'HH24:MI') as to`,
  );
  return [{ days: [1, 2, 3, 4, 5, 6, 7], ...rows[0] }];
}

test('a running campaign makes its next attempts with what was changed, and the one that goes on ends as it began', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await callCampaignOf(send, { retries: { max_attempts: 3, delay_minutes: 1 } });
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  const call = await telephony.callsOf(lead.id, 1);
  const assistant_id = await callerOf(send);
  const retries = { max_attempts: 2, delay_minutes: 1 };
  expect(await change(send, id, { assistant_id, retries })).toMatchObject({
    assistant_id,
    status: 'running',
  });
  telephony.endCall(send, lead.id, 'no_answer', call);
  await untilWaiting(copies, send);
  await pass(copies, 61);
  const second = await telephony.callsOf(lead.id, 2);
  const [before, after] = telephony.askedFor(lead.id).map(({ payload }) => payload.assistant_id);
  expect(before).not.toBe(assistant_id);
  expect(after).toBe(assistant_id);
  telephony.endCall(send, lead.id, 'no_answer', second);
  await eventually(async () => expect(await statuses(send)).toEqual(['no_answer']));
});

test('a retry that waits is not made where fewer attempts are wanted since', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await callCampaignOf(send, { retries: { max_attempts: 3, delay_minutes: 1 } });
  const contact = phone();
  const lead = await leadOf(send, id, { secondary_contacts: [{ phone_number: contact }] });
  await tell(send, id, 'start');
  telephony.endCall(send, lead.id, 'no_answer', await telephony.callsOf(lead.id, 1));
  await untilWaiting(copies, send);
  await change(send, id, { retries: { max_attempts: 1, delay_minutes: 1 } });
  await pass(copies, 61);
  // Whoever is next follows.
  telephony.endCall(send, lead.id, 'no_answer', await telephony.callsOf(lead.id, 2));
  expect(telephony.askedFor(lead.id)[1]?.payload).toMatchObject({ phone_number: contact });
  await eventually(async () => expect(await statuses(send)).toEqual(['no_answer']));
});

test('nobody is called outside of the new windows, and at once where they are open again', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await callCampaignOf(send, { retries: { max_attempts: 3, delay_minutes: 1 } });
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  telephony.endCall(send, lead.id, 'no_answer', await telephony.callsOf(lead.id, 1));
  await untilWaiting(copies, send);
  await change(send, id, { timezone: 'UTC', windows: await later() });
  await pass(copies, 61);
  const other = await leadOf(send, id);
  await untilLater(copies, id);
  expect([...telephony.askedFor(lead.id), ...telephony.askedFor(other.id)]).toHaveLength(1);
  await change(send, id, { windows: null });
  telephony.endCall(send, lead.id, 'completed', await telephony.callsOf(lead.id, 2));
  telephony.endCall(send, other.id, 'completed', await telephony.callsOf(other.id, 1));
  await eventually(async () => expect(await statuses(send)).toEqual(['completed', 'completed']));
});

test('whoever was not written to before the window closed is as soon as it is open again, also by a change', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await campaignOf(send, { channel: 'sms', body: 'Hello' });
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  await change(send, id, { windows: await later() });
  const [asked] = telephony.askedFor(lead.id);
  const command_id = asked?.context.commandId ?? null;
  const unsent = { sms_id: 51, code: '30036', lead_id: lead.id, command_id };
  telephony.publish(SmsUndeliverable.type, 'sms', send.accountId, unsent, 2);
  await untilWaiting(copies, send);
  await pass(copies, 61);
  await untilLater(copies, id);
  expect(telephony.askedFor(lead.id)).toHaveLength(1);
  await change(send, id, { windows: null });
  await telephony.callsOf(lead.id, 2);
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
});

test('a campaign that is held up stays so when its hours or its name are changed', async () => {
  const send = asAccount(copies);
  telephony.answer(() => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } }));
  const id = await callCampaignOf(send);
  await leadOf(send, id);
  await tell(send, id, 'start');
  await untilLater(copies, id);
  expect(await heldUpOf(send)).not.toBeNull();
  const renamed = await change(send, id, { name: 'Summer', windows: await later() });
  expect(renamed).toMatchObject({ name: 'Summer', held_up: { until: expect.any(String) } });
  expect(await heldUpOf(send)).toEqual(renamed.held_up);
});

test('a campaign that is held up tries at once with another assistant', async () => {
  const send = asAccount(copies);
  telephony.answer(() => ({ kind: 'rejected', rejection: { code: 'insufficient_balance' } }));
  const id = await callCampaignOf(send);
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  await untilLater(copies, id);
  telephony.placesCalls();
  const changed = await change(send, id, { assistant_id: await callerOf(send) });
  expect(changed.held_up).toBeNull();
  telephony.endCall(send, lead.id, 'completed', await telephony.callsOf(lead.id, 2));
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
});

test('the new name is shown wherever the campaign is, by every copy', async () => {
  const send = asAccount(copies);
  const id = await callCampaignOf(send);
  const lead = await leadOf(send, id);
  expect(lead.campaign).toEqual({ id, name: 'Spring' });
  await change(send, id, { name: 'Spring "28"' });
  // The copies take turns.
  for (let n = 0; n < 4; n += 1)
    expect((await leadOf(send, id)).campaign).toEqual({ id, name: 'Spring "28"' });
  const shown: { campaign: object }[] = dataOf(await send(listLeads, {}));
  expect(shown.map(({ campaign }) => campaign)).toEqual(shown.map(() => ({ id, name: 'Spring "28"' })));
  expect(dataOf(await send(listCampaigns, {}))).toMatchObject([{ name: 'Spring "28"', leads_count: 5 }]);
});

rebuildsAreTheSame(() => copies);
