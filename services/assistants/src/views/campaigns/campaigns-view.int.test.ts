import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { PostgresEventStore } from '@parley/event-store';
import { createTestStore, golden, testMetadata } from '@parley/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { campaignsTable, campaignsView, standingOf } from './campaigns-view.ts';
import { createCampaignLists } from './list-campaigns.ts';

let store: PostgresEventStore;
beforeEach(async () => {
  store = await createTestStore([campaignsView]);
});
afterEach(() => store.close());

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

const failing = 'At least the last 20 calls have failed.';
const unreported = 'No agent has told of at least the last 20 calls that were answered.';
test.each([
  ['what it was given a lead back for, while its calls do not all fail', 19, 19, 5, 10, 'busy'],
  ['that its calls fail, once that holds it up for longer', 20, 0, 5, 10, failing],
  ['that its calls fail, also when the other moment has passed', 20, 0, -1, 10, failing],
  ['that no agent tells of its calls', 1, 20, 5, 10, unreported],
  ['what it was given a lead back for, where that takes longer', 20, 20, 30, 10, 'busy'],
  ['nothing, once both moments have passed', 20, 20, -2, -1, undefined],
  ['nothing, once it has rested since no agent tells of its calls', 0, 20, null, -1, undefined],
])(
  'a campaign says that it is held up by %s',
  async (_, failedInARow, unreportedInARow, busyFor, failingFor, reason) => {
    const heldUp = JSON.stringify(busyFor && { reason: 'busy', until: inMinutes(busyFor) });
    await store.pool.query(
      `insert into ${campaignsTable} (
       id, account_id, created_position, name_json, channel, status, body_json, variable_mapping, timezone_json, windows,
       retries, held_up_json, failed_in_a_row, unreported_in_a_row, failing_until, created_at, updated_at
     )
     values (1, 1, 1, '"Spring"', 'call', 'running', 'null', '{}', '"UTC"', '[]', '{}', $1, $2, $3, $4, '', '')`,
      [heldUp, failedInARow, unreportedInARow, inMinutes(failingFor)],
    );
    const page = await createCampaignLists(store.pool)({ accountId: 1, page: 1, perPage: 1 });
    expect(JSON.parse(page).data[0].held_up?.reason).toBe(reason);
  },
);

const append = (streamId: string, ...events: readonly (CampaignEvent | LeadEvent)[]) =>
  store.append({
    streamId,
    category: streamId.split('-')[0] ?? '',
    accountId: 1,
    expectedVersion: 'any',
    metadata: testMetadata,
    events,
  });

test('a campaign whose leads are not taken at present says why, and when its growing rest is over', async () => {
  const [withdrawn] = golden<LeadEvent>('LeadAttemptWithdrawn.v1');
  if (withdrawn?.type !== 'LeadAttemptWithdrawn') throw new Error('The golden file holds it.');
  const { at, campaign_id } = withdrawn.data;
  const refused = { ...withdrawn, data: { ...withdrawn.data, reason: 'It "is" away.', due_at: at } };
  const campaign = `campaign-${campaign_id}`;
  await append(campaign, ...golden<CampaignEvent>('CampaignCreated.v1', 'CampaignStarted.v1'));
  const restAfter = async (count: number) => {
    await append('lead-12', ...Array.from({ length: count }, () => refused));
    const [last] = (await store.readStream('lead-12')).slice(-1);
    const page = await createCampaignLists(store.pool)({ accountId: 1, page: 1, perPage: 1 });
    const { held_up } = JSON.parse(page).data[0];
    expect(held_up.reason).toBe('It "is" away.');
    return Date.parse(held_up.until) - Date.parse(last?.recordedAt ?? '');
  };
  expect(await restAfter(1)).toBe(5_000);
  expect(await restAfter(8)).toBe(5_000);
  expect(await restAfter(1)).toBe(10_000);
  expect(await restAfter(15)).toBe(20_000);
  expect(await restAfter(1_000)).toBe(300_000);
  // A start looks at once.
  expect((await standingOf(store.pool, campaign_id)).heldUp).toMatchObject({ reason: refused.data.reason });
  await append(campaign, ...golden<CampaignEvent>('CampaignStarted.v1'));
  expect((await standingOf(store.pool, campaign_id)).heldUp).toBeNull();
});

test('a campaign is held up no more once one of its calls is over, which an attempt that failed for its lead’s sake is not', async () => {
  const isHeldUp = async () => (await standingOf(store.pool, 5)).heldUp !== null;
  const [withdrawn, ended] = golden<LeadEvent>('LeadAttemptWithdrawn.v1', 'LeadAttemptEnded.v1');
  if (withdrawn?.type !== 'LeadAttemptWithdrawn' || ended?.type !== 'LeadAttemptEnded')
    throw new Error('The golden files hold them.');
  await append('campaign-5', ...golden<CampaignEvent>('CampaignCreated.v1', 'CampaignStarted.v1'));
  await append('lead-12', { ...withdrawn, data: { ...withdrawn.data, due_at: inMinutes(15) } });
  await append('lead-13', { ...ended, data: { ...ended.data, outcome: 'failed', reason: 'Too long.' } });
  expect(await isHeldUp()).toBe(true);
  await append('lead-14', ended);
  expect(await isHeldUp()).toBe(false);
});
