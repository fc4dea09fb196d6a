import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { holdUpsByCampaign } from './held-up.ts';

type Withdrawn = Extract<LeadEvent, { type: 'LeadAttemptWithdrawn' }>;
type Ended = Extract<LeadEvent, { type: 'LeadAttemptEnded' }>;
const [aWithdrawal] = golden<Withdrawn>('LeadAttemptWithdrawn.v1');
const [anEnd] = golden<Ended>('LeadAttemptEnded.v1');
if (!aWithdrawal || !anEnd) throw new Error('The golden files hold them.');

const campaign_id = 21;
const at = '2026-11-21T09:30:00.000Z';
const withdrawn = (reason: string, due_at = at) =>
  recorded({ ...aWithdrawal, data: { ...aWithdrawal.data, campaign_id, at, due_at, reason } });
const ended = (outcome: Ended['data']['outcome'], reason: string | null = null) =>
  recorded({ ...anEnd, data: { ...anEnd.data, campaign_id, outcome, reason } });
const ofLead = (name: string) =>
  golden<LeadEvent>(name).map((event) =>
    recorded({ ...event, data: { ...event.data, campaign_id } } as LeadEvent),
  );
const ofCampaign = (name: string) =>
  golden<CampaignEvent>(name).map((event) => recorded(event, { streamId: `campaign-${campaign_id}` }));
const told = (...events: Parameters<typeof holdUpsByCampaign>[0]) => [...holdUpsByCampaign(events)];

test('a campaign is held up for the reason of its last withdrawal, and until then where its lead waits longer', () => {
  const events = [withdrawn('No credits.'), withdrawn('Busy.', '2026-11-21T09:30:00.001Z')] as const;
  const [first, last] = events;
  expect(told(first)).toEqual([[campaign_id, { reason: 'No credits.', until: null, at: first.recordedAt }]]);
  expect(told(first, last)).toEqual([
    [campaign_id, { reason: 'Busy.', until: '2026-11-21T09:30:00.001Z', at: last.recordedAt }],
  ]);
  expect(told(last, first)).toMatchObject([[campaign_id, { reason: 'No credits.', until: null }]]);
});

test.each([
  ['another attempt has started', ofLead('LeadAttemptStarted.v1')],
  ['a call is over', [ended('completed')]],
  ['a call has failed', [ended('failed')]],
  ['it was started', ofCampaign('CampaignStarted.v1')],
  ['it was stopped', ofCampaign('CampaignStopped.v1')],
])('nothing holds it up once %s', (_, events) => {
  expect(told(withdrawn('Busy.'), ...events)).toEqual([[campaign_id, null]]);
  expect(told(...events, withdrawn('Busy.'))).toMatchObject([[campaign_id, { reason: 'Busy.' }]]);
});

test('what was never tried, or says nothing of attempts, changes nothing', () => {
  expect(told(ended('failed', 'Too long.'), ...ofLead('LeadQueued.v1'))).toEqual([]);
  expect(told(...ofCampaign('CampaignDeleted.v1'))).toEqual([]);
});
