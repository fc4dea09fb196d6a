import { randomUUID } from 'node:crypto';
import {
  beginLeadImport,
  createLead,
  deleteCampaign,
  deleteLead,
  findObstacle,
  importLeadRows,
  importLeads,
  listCampaigns,
  listLeads,
  reopenLead,
  updateCampaign,
  updateCampaignStatus,
  updateLead,
} from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { campaignsTable } from '../views/campaigns/campaigns-view.ts';
import { startTelephony, type Telephony } from './calling.fixture.ts';
import {
  asAccount,
  callCampaignOf,
  campaignOf,
  dataOf,
  leadOf,
  pass,
  phone,
  rebuildsAreTheSame,
  type Send,
  statuses,
  tell,
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

const remove = async (send: Send, id: number) =>
  expect(await send(deleteCampaign, { id })).toMatchObject({ kind: 'ok' });
const notFound = { kind: 'rejected', rejection: { code: 'not_found' } };
/** Types of the lead's events, in order. */
const eventsOf = async (leadId: number): Promise<string[]> => {
  const { rows } = await copies.pool.query(
    'select type from es.events where stream_id = $1 order by stream_version',
    [`lead-${leadId}`],
  );
  return rows.map(({ type }) => type);
};

test('what is under way when its campaign is deleted ends, and nobody is reached out to afterwards', async () => {
  const send = asAccount(copies);
  telephony.placesCalls();
  const id = await callCampaignOf(send, { retries: { max_attempts: 3, delay_minutes: 1 } });
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  const call = await telephony.callsOf(lead.id, 1);
  await eventually(async () => expect(await statuses(send)).toEqual(['in_progress']));
  await remove(send, id);
  expect([await statuses(send), dataOf(await send(listCampaigns, {}))]).toEqual([[], []]);
  // A call that still waits for its turn is not placed any more.
  const asked = await copies.send(findObstacle, { lead_id: lead.id }, { accountId: send.accountId });
  expect(asked.kind === 'ok' && JSON.parse(asked.body).obstacle).toBe('The campaign was stopped.');
  telephony.endCall(send, lead.id, 'no_answer', call);
  await eventually(async () => expect((await eventsOf(lead.id)).at(-1)).toBe('LeadAttemptEnded'));
  await pass(copies, 3_600);
  // Another campaign's lead is reached out to meanwhile.
  const other = await callCampaignOf(send);
  const next = await leadOf(send, other);
  await tell(send, other, 'start');
  telephony.endCall(send, next.id, 'completed', await telephony.callsOf(next.id, 1));
  await eventually(async () => expect(await statuses(send)).toEqual(['completed']));
  expect(telephony.askedFor(lead.id)).toHaveLength(1);
});

test('a campaign of which more leads are counted than can go at once stays as it is', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send, { channel: 'sms', body: 'Hello' });
  const lead = await leadOf(send, id);
  const count = (leads: number) =>
    copies.pool.query(`update ${campaignsTable} set leads_count = $2 where id = $1`, [id, leads]);
  await count(250_001);
  expect(await send(deleteCampaign, { id })).toMatchObject({
    rejection: { code: 'invalid', fields: { leads_count: [expect.any(String)] } },
  });
  expect(await statuses(send)).toEqual(['created']);
  await count(1);
  await remove(send, id);
  expect(await eventsOf(lead.id)).toEqual(['LeadCreated']);
});

test('a lead that waits for its service is given back once its campaign is deleted', async () => {
  const send = asAccount(copies);
  telephony.answer(() => ({ kind: 'rejected', rejection: { code: 'unavailable' } }));
  const id = await callCampaignOf(send);
  const lead = await leadOf(send, id);
  await tell(send, id, 'start');
  await telephony.callsOf(lead.id, 1);
  await remove(send, id);
  await eventually(async () => expect((await eventsOf(lead.id)).at(-1)).toBe('LeadAttemptWithdrawn'));
  telephony.placesCalls();
  await pass(copies, 3_600);
  expect((await eventsOf(lead.id)).filter((type) => type === 'LeadQueued')).toHaveLength(1);
});

test('a deleted campaign and its leads can be neither changed, started, added to nor deleted, by no copy', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send, { channel: 'sms', body: 'Hello' });
  const lead = await leadOf(send, id);
  // Both copies know it.
  for (let n = 0; n < 4; n += 1) await leadOf(send, id);
  await remove(send, id);
  for (let n = 0; n < 4; n += 1)
    expect(await send(createLead, { campaign_id: id, phone_number: phone() })).toMatchObject(notFound);
  for (const [operation, input] of [
    [updateLead, { id: lead.id, variables: { name: 'Ada' } }],
    [updateLead, { id: lead.id, phone_number: phone() }],
    [reopenLead, { id: lead.id }],
    [deleteLead, { id: lead.id }],
    [updateCampaign, { id, name: 'Summer' }],
    [updateCampaignStatus, { campaign_id: id, action: 'start' }],
    [deleteCampaign, { id }],
    [beginLeadImport, { upload_id: randomUUID(), campaign_id: id, columns: ['phone_number'] }],
  ] as const)
    expect([
      operation.name,
      await copies.send(operation, input, { accountId: send.accountId }),
    ]).toMatchObject([operation.name, notFound]);
  expect(await eventsOf(lead.id)).toEqual(['LeadCreated']);
  for (const query of [{}, { campaign_id: id }, { campaign_id: id, status: 'created' }])
    expect(JSON.parse(((await send(listLeads, query)) as { body: string }).body)).toMatchObject({
      data: [],
      total: 0,
    });
});

test('an import that is under way says of each further row that the campaign was deleted', async () => {
  const send = asAccount(copies);
  const id = await campaignOf(send, { channel: 'sms', body: 'Hello' });
  const upload_id = randomUUID();
  const rows = (...numbers: number[]) =>
    numbers.map((row) => ({ row, cells: [row === 5 ? 'nobody' : phone()] }));
  const by = { accountId: send.accountId };
  const import_ = { upload_id, campaign_id: id, columns: ['phone_number'] };
  expect(await copies.send(beginLeadImport, import_, by)).toMatchObject({ kind: 'ok' });
  await copies.send(importLeadRows, { upload_id, chunk: 0, rows: rows(2, 3) }, by);
  await remove(send, id);
  await copies.send(importLeadRows, { upload_id, chunk: 1, rows: rows(4, 5) }, by);
  const message = 'The campaign was deleted meanwhile.';
  expect(dataOf(await send(importLeads, { campaign_id: id }, { commandId: upload_id }))).toMatchObject({
    created: 2,
    failed: 2,
    errors: [
      { row: 4, field: 'campaign_id', message },
      { row: 5, field: 'phone_number' },
    ],
  });
});

rebuildsAreTheSame(() => copies, 0);
