import {
  createCampaign,
  createLead,
  deleteLead,
  listCampaigns,
  listLeads,
  updateLead,
} from '@parley/contracts';
import { type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { bodyOf, freshAccount } from '../callers.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 2);
});
afterAll(() => copies?.close());

const asAccount = () => freshAccount(copies);
type Send = ReturnType<typeof asAccount>;
const campaignOf = async (send: Send, settings: object = { channel: 'sms', body: 'Hello {{name}}' }) =>
  bodyOf(await send(createCampaign, { name: 'Spring "27" 🌱', ...settings })).data;

let numbers = 2000;
const phone = () => `+1415555${++numbers}`;
const invalid = (fields: object, more: object = {}) => ({
  kind: 'rejected',
  rejection: { code: 'invalid', fields, ...more },
});
const taken = invalid(
  { phone_number: ['The phone number is already in the campaign.'] },
  { details: { reason: 'number_taken' } },
);

test('a lead in its answer, in the list and after a rebuild is the same', async () => {
  const send = asAccount();
  const campaign = await campaignOf(send);
  const variables = { name: 'Łucja "L"\n東京', vip: true, tags: ['a', null, { b: 1.5 }], zz: 1, a: 2 };
  const created = bodyOf(
    await send(createLead, { campaign_id: campaign.id, phone_number: phone(), variables }),
  );
  expect(created.message).toBe('Lead created successfully');
  createLead.success.schema.parse(created);
  expect(created.data).toMatchObject({
    variables,
    status: 'created',
    campaign: { id: campaign.id, name: campaign.name },
    secondary_contacts: [],
  });
  expect(bodyOf(await send(listLeads, {}))).toEqual({
    data: [created.data],
    current_page: 1,
    per_page: 15,
    total: 1,
  });
  expect(bodyOf(await send(listCampaigns, {})).data).toEqual([{ ...campaign, leads_count: 1 }]);
});

test('a lead is listed in no more characters than it was sent in, so that a page of large ones fits', async () => {
  const send = asAccount();
  const { id } = await campaignOf(send);
  const variables = { list: Array.from({ length: 130_000 }, () => 0) };
  bodyOf(await send(createLead, { campaign_id: id, phone_number: phone(), variables }));
  const [{ variables: _, ...rest }] = bodyOf(await send(listLeads, {})).data;
  const page = { data: [{ ...rest, variables }], current_page: 1, per_page: 15, total: 1 };
  const listed = await send(listLeads, {});
  expect(listed.kind === 'ok' && listed.body.length).toBe(JSON.stringify(page).length);
});

test('of 50 concurrent creates of one number over two copies one wins', async () => {
  const send = asAccount();
  const { id } = await campaignOf(send);
  const lead = { campaign_id: id, phone_number: phone() };
  const replies = await Promise.all(Array.from({ length: 50 }, () => send(createLead, lead)));
  expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
  for (const reply of replies) if (reply.kind === 'rejected') expect(reply).toEqual(taken);
});

test('a number may be in a campaign twice when that is asked for, and in different campaigns', async () => {
  const send = asAccount();
  const [first, second] = [await campaignOf(send), await campaignOf(send)];
  const lead = { campaign_id: first.id, phone_number: phone() };
  await send(createLead, { ...lead, allow_dupplicate: true });
  expect(await send(createLead, lead)).toEqual(taken);
  bodyOf(await send(createLead, { ...lead, allow_dupplicate: true }));
  bodyOf(await send(createLead, { ...lead, campaign_id: second.id }));
  expect(bodyOf(await send(listLeads, { campaign_id: first.id })).total).toBe(2);
});

describe('a line with two spellings', () => {
  const [dialed, told] = ['+5511987654321', '+551187654321'];

  test('is in a campaign once, also by both at once over two copies', async () => {
    const send = asAccount();
    const { id } = await campaignOf(send);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(createLead, { campaign_id: id, phone_number: index % 2 === 0 ? dialed : told }),
      ),
    );
    expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    for (const reply of replies) if (reply.kind === 'rejected') expect(reply).toEqual(taken);
    const other = bodyOf(await send(createLead, { campaign_id: id, phone_number: phone() })).data;
    for (const phone_number of [dialed, told])
      expect(await send(updateLead, { id: other.id, phone_number })).toEqual(taken);
    bodyOf(await send(createLead, { campaign_id: id, phone_number: told, allow_dupplicate: true }));
  });

  test('stays its lead, by whichever it is called, and is free again for both once that is deleted', async () => {
    const send = asAccount();
    const { id } = await campaignOf(send);
    const lead = bodyOf(await send(createLead, { campaign_id: id, phone_number: told })).data;
    expect(bodyOf(await send(updateLead, { id: lead.id, phone_number: dialed })).data).toMatchObject({
      phone_number: dialed,
    });
    expect(await send(createLead, { campaign_id: id, phone_number: told })).toEqual(taken);
    bodyOf(await send(deleteLead, { id: lead.id }));
    bodyOf(await send(createLead, { campaign_id: id, phone_number: told }));
    expect(await send(createLead, { campaign_id: id, phone_number: dialed })).toEqual(taken);
  });

  test('is known where its claim is from before both were claimed, by two leads that are gone', async () => {
    const send = asAccount();
    const { id } = await campaignOf(send);
    const claimedAlone = async (phone_number: string) => {
      const lead = { campaign_id: id, phone_number, allow_dupplicate: true };
      const { id: leadId } = bodyOf(await send(createLead, lead)).data;
      return leadId as number;
    };
    const first = await claimedAlone(dialed);
    const second = await claimedAlone(told);
    const { rows } = await copies.pool.query<{ key: string }>(
      `select key from es.claims where scope = $1 order by key`,
      [`lead-number:${id}`],
    );
    expect(rows).toHaveLength(2);
    await copies.pool.query(`update es.claims set owner = $1 where key = $2`, [
      `lead-${second}`,
      rows[1]?.key,
    ]);
    for (const leadId of [first, second]) bodyOf(await send(deleteLead, { id: leadId }));
    bodyOf(await send(createLead, { campaign_id: id, phone_number: told }));
    expect(await send(createLead, { campaign_id: id, phone_number: dialed })).toEqual(taken);
  });
});

describe('a number is free again', () => {
  test('once every lead of the campaign that had it is deleted', async () => {
    const send = asAccount();
    const { id } = await campaignOf(send);
    const lead = { campaign_id: id, phone_number: phone(), allow_dupplicate: true };
    const one = bodyOf(await send(createLead, lead)).data;
    const two = bodyOf(await send(createLead, lead)).data;
    const again = { ...lead, allow_dupplicate: false };
    bodyOf(await send(deleteLead, { id: one.id }));
    expect(await send(createLead, again)).toEqual(taken);
    bodyOf(await send(deleteLead, { id: two.id }));
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(createLead, again)));
    expect(replies.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
  });

  test('once its lead has another one', async () => {
    const send = asAccount();
    const { id } = await campaignOf(send);
    const [before, after] = [phone(), phone()];
    const moved = bodyOf(await send(createLead, { campaign_id: id, phone_number: before })).data;
    bodyOf(await send(updateLead, { id: moved.id, phone_number: after }));
    expect(await send(createLead, { campaign_id: id, phone_number: after })).toEqual(taken);
    bodyOf(await send(createLead, { campaign_id: id, phone_number: before }));
    expect(await send(updateLead, { id: moved.id, phone_number: before })).toEqual(taken);
  });
});
