import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leadCampaignsTable, leadsTable, leadsView } from './leads-view.ts';
import { createLeadLists } from './list-leads.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  store = await createTestStore([leadsView]);
});
afterEach(() => store.close());

const append = (streamId: string, ...events: readonly (CampaignEvent | LeadEvent)[]) =>
  store.append({
    streamId,
    category: streamId.split('-')[0] ?? '',
    accountId: 1,
    expectedVersion: 'any',
    metadata: testMetadata,
    events,
  });
const page = { accountId: 1, campaignId: undefined, status: undefined, page: 1, perPage: 20 };
const list = async () => JSON.parse(await createLeadLists(store.pool)(page));

test('leads are listed under the present name of their campaign, and not once it was deleted', async () => {
  await append('campaign-5', ...golden<CampaignEvent>('CampaignCreated.v1'));
  await append('lead-12', ...golden<LeadEvent>('LeadCreated.v1'));
  expect(await list()).toMatchObject({ data: [{ campaign: { id: 5, name: 'Frühling "27" 🌱' } }], total: 1 });
  await append('campaign-5', ...golden<CampaignEvent>('CampaignRenamed.v1'));
  expect(await list()).toMatchObject({ data: [{ campaign: { id: 5, name: 'Sommer "27" ☀' } }] });
  await append('campaign-5', ...golden<CampaignEvent>('CampaignDeleted.v1'));
  expect(await list()).toMatchObject({ data: [], total: 0 });
});

test('a lead that is recorded after the deletion that it did not know of is not there', async () => {
  await append('campaign-5', ...golden<CampaignEvent>('CampaignCreated.v1', 'CampaignDeleted.v1'));
  await append('lead-12', ...golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptWithdrawn.v1'));
  for (const table of [leadsTable, leadCampaignsTable])
    expect((await store.pool.query(`select from ${table}`)).rows).toEqual([]);
});
