import type { CampaignEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaign, living } from './campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { showCampaign } from './item.ts';
import { updateCampaign } from './update-campaign.ts';
import { updateCampaignStatus } from './update-campaign-status.ts';

const now = new Date('2026-11-22T10:00:00.000Z');
const history = golden<CampaignEvent>('CampaignCreated.v1', 'CampaignStarted.v1');
const running = given(campaign, ...history);

test('a campaign is deleted together with the timer that paces it', () => {
  expect(deleteCampaign(running, { now, leadsCount: 250_000 })).toEqual({
    events: [{ type: 'CampaignDeleted', data: { at: now.toISOString() } }],
    cancelTimers: ['pace-campaign:5'],
    reply: { message: 'Campaign deleted successfully' },
  });
});

test('a campaign of more leads than can go at once is not deleted', () => {
  expect(deleteCampaign(running, { now, leadsCount: 250_001 })).toEqual({
    code: 'invalid',
    fields: { leads_count: ['A campaign of more than 250,000 leads cannot be deleted.'] },
  });
});

test('a deleted campaign runs no more and is not there, but what it was told is known to what goes on still', () => {
  const deleted = given(campaign, ...history, ...golden<CampaignEvent>('CampaignDeleted.v1'));
  expect(deleted).toMatchObject({ settings: running?.settings, isRunning: false });
  expect([living(deleted), showCampaign(deleted)]).toEqual([null, null]);
  expect(living(running)).toBe(running);
});

test('a campaign that is not there can be neither changed, started nor deleted', () => {
  const found = { assistant: undefined, template: 'ok' } as const;
  const common = { now, leadsCount: 0, correlationId: 'c' };
  for (const gone of [null, given(campaign, ...history, ...golden<CampaignEvent>('CampaignDeleted.v1'))])
    expect([
      deleteCampaign(gone, { ...common, leadsCount: 250_001 }),
      updateCampaign(gone, { ...common, change: { name: 'Summer' }, found, heldUp: null }),
      updateCampaignStatus(gone, { ...common, action: 'start', isHeldUp: true }),
      updateCampaignStatus(gone, { ...common, action: 'stop', isHeldUp: false }),
    ]).toEqual(Array(4).fill({ code: 'not_found' }));
});
