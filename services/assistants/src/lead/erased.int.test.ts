import { randomUUID } from 'node:crypto';
import { createLead, erasePerson, getErasure, listLeads, updateLead } from '@parley/contracts';
import { eventually, type ServiceCopies, startServiceCopies } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../assistants-service.ts';
import { asAccount, campaignOf, dataOf, phone } from '../outreach/outreach.fixture.ts';

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1);
});
afterAll(() => copies?.close());

async function erase(account_id: number, phone_number: string): Promise<readonly string[]> {
  const erasure = { erasure_id: randomUUID() };
  await copies.ask(erasePerson, { ...erasure, account_id, phone_number });
  return eventually(async () => {
    const { status, subject_ids } = await copies.ask(getErasure, erasure);
    expect(status).toBe('done');
    return subject_ids;
  });
}

test('a lead that got another number has its variables for as long as whoever has that is not erased', async () => {
  const send = asAccount(copies);
  const campaign_id = await campaignOf(send, { channel: 'sms', body: 'Hello {{name}}' });
  const [wrong, right] = [phone(), phone()];
  const variables = { name: 'Ada' };
  const { id } = dataOf(await send(createLead, { campaign_id, phone_number: wrong, variables }));
  await send(updateLead, { id, phone_number: right });
  await erase(send.accountId, wrong);
  expect(dataOf(await send(listLeads, {}))).toMatchObject([{ id, phone_number: right, variables }]);
  const keys = await erase(send.accountId, right);
  expect(dataOf(await send(listLeads, {}))).toEqual([]);
  const { rows } = await copies.pool.query(
    `select data::text from es.events where stream_id = $1 and type = 'LeadPhoneNumberChanged'`,
    [`lead-${id}`],
  );
  expect(rows).toEqual([{ data: expect.stringContaining(keys[0] ?? 'a key') }]);
});
