import {
  type CampaignEvent,
  checkImport,
  importEvents,
  type LeadEvent,
  listLeads,
  setStanding,
} from '@parley/contracts';
import { eventually, golden, type ServiceCopies, startServiceCopies, travelling } from '@parley/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assistantsService } from '../../assistants-service.ts';

const accountId = 41;
const campaignId = 5;
const at = '2026-11-21T09:30:00.000Z';
const [created] = golden<CampaignEvent>('CampaignCreated.v1');
if (created?.type !== 'CampaignCreated') throw new Error('Another golden file.');

let copies: ServiceCopies;
beforeAll(async () => {
  copies = await startServiceCopies(assistantsService, 1);
});
afterAll(() => copies?.close());

const streamOf = (
  category: 'campaign' | 'lead',
  id: number,
  events: readonly (CampaignEvent | LeadEvent)[],
) => travelling({ accountId, category, streamId: `${category}-${id}` }, events);

function leadWith(id: number, ...more: readonly LeadEvent[]) {
  const contact = { id: 1_000 + id, phone_number: `+141555526${10 + id}`, variables: {} };
  const data = {
    ...{
      id,
      campaign_id: campaignId,
      phone_number: `+141555527${10 + id}`,
      variables: {},
      imported: null,
      at,
    },
    secondary_contacts: [contact],
  };
  return streamOf('lead', id, [{ type: 'LeadCreated', data }, ...more]);
}

const about = { campaign_id: campaignId, attempt: 1, contact_id: null, at };
const queued: LeadEvent = { type: 'LeadQueued', data: { ...about, channel: 'call' } };
const started: LeadEvent = { type: 'LeadAttemptStarted', data: { ...about, reference: '771' } };
const ended: LeadEvent = {
  type: 'LeadAttemptEnded',
  data: { ...about, outcome: 'completed', reason: null, next: null },
};

test('attempts that went on in the other installation end as failed, and their campaign goes on with who waits', async () => {
  const inFlight = Array.from({ length: 10 }, (_, index) => index + 1);
  const events = [
    ...streamOf('campaign', campaignId, [
      { type: 'CampaignCreated', data: { ...created.data, windows: [] } },
      { type: 'CampaignStarted', data: { at } },
    ]),
    ...inFlight.flatMap((id) => (id === 1 ? leadWith(id, queued) : leadWith(id, queued, started))),
    ...leadWith(11, queued, started, ended),
    ...leadWith(12),
  ];
  await copies.ask(importEvents, { events, names: { account_id: 0, held: [] }, next_ids: {} });
  /** Accounts whose import did not come to its end, and what a name comes to that belongs to a lead. */
  const unfinished = async (key: string) => {
    const held = [{ scope: 'of-leads', key, owner: 'lead-1' }];
    await copies.ask(importEvents, { events, names: { account_id: accountId, held }, next_ids: {} });
    const found = await copies.ask(checkImport, { account_ids: [accountId, 42], stream_ids: [] });
    expect(Date.parse(found.now ?? '')).toBeGreaterThan(Date.now() - 60_000);
    const { rows } = await copies.pool.query('select from es.claims where key = $1', [key]);
    return [found.unfinished, rows.length];
  };
  expect(await unfinished('held there')).toEqual([[accountId], 1]);
  await copies.ask(setStanding, { account_id: accountId });
  await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 61');
  const leads = async (): Promise<{ id: number; status: string }[]> => {
    const reply = await copies.send(listLeads, { per_page: 100 }, { accountId });
    return reply.kind === 'ok' ? JSON.parse(reply.body).data : [];
  };
  const statuses = async () => Object.fromEntries((await leads()).map(({ id, status }) => [id, status]));
  const expected = {
    ...Object.fromEntries(inFlight.map((id) => [id, 'failed'])),
    11: 'completed',
    12: 'queued',
  };
  await eventually(async () => expect(await statuses()).toEqual(expected));

  // Nothing is the import's any more: no name that was given up here, nothing that is under way.
  expect(await unfinished('given up here')).toEqual([[], 0]);
  await copies.ask(setStanding, { account_id: accountId });
  await copies.pool.query('update es.clock set seconds_ahead = seconds_ahead + 61');
  await eventually(async () => {
    const { rows } = await copies.pool.query(
      `select count(*)::int4 as due from es.timers where due_at <= es.now() and kind = 'imported-attempt'`,
    );
    expect(rows).toEqual([{ due: 0 }]);
  });
  expect(await statuses()).toEqual(expected);
});
