import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import type { BusRejection } from '@parley/message-bus';
import { given, golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaign } from '../../campaign/campaign.ts';
import { lead } from '../../lead/lead.ts';
import { attemptCompleted, attemptRefused, attemptWithdrawn, staysUnknown } from './attempt-events.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const [queued] = golden<Extract<LeadEvent, { type: 'LeadQueued' }>>('LeadQueued.v1');
const state = given(lead, ...golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1'));
const settings = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'))?.settings;
if (!queued || !state || !settings) throw new Error('The golden files hold them.');
const attempt = { event: recorded(queued), lead: state, settings, now };
const about = { campaign_id: 5, attempt: 2, contact_id: null, at: now.toISOString() };

/** The attempt where nobody has known for so long what came of it. */
const unknownFor = (ms: number) => ({
  ...attempt,
  lead: { ...state, unknownSince: new Date(now.getTime() - ms).toISOString() },
});
const quarterOfAnHour = 15 * 60_000;
const unknown: BusRejection = { code: 'send_failed', details: { outcome: 'unknown' } };

test('an attempt whose answer is all there is to it has begun, and has reached somebody', () => {
  expect(attemptCompleted(attempt, '771')).toEqual([
    { type: 'LeadAttemptStarted', data: { ...about, reference: '771' } },
    { type: 'LeadAttemptEnded', data: { ...about, outcome: 'completed', reason: null, next: null } },
  ]);
});

test('a lead that is given back is due at once and was not reached, unless it is said otherwise', () => {
  const data = { ...about, reason: 'It is late.', due_at: about.at, is_outcome_unknown: false };
  expect(attemptWithdrawn(attempt, 'It is late.')).toEqual([{ type: 'LeadAttemptWithdrawn', data }]);
});

test('a message of which its provider does not know whether it was sent is asked about for a quarter of an hour', () => {
  const givenBack = [{ type: 'LeadAttemptWithdrawn', data: { due_at: about.at, is_outcome_unknown: true } }];
  for (const asked of [attempt, unknownFor(quarterOfAnHour - 1)]) {
    expect(attemptRefused(asked, unknown)).toMatchObject(givenBack);
    expect(staysUnknown(asked, unknown)).toBe(false);
  }
  const over = unknownFor(quarterOfAnHour);
  expect(attemptRefused(over, unknown)).toMatchObject([
    { type: 'LeadAttemptEnded', data: { outcome: 'failed' } },
  ]);
  expect(staysUnknown(over, unknown)).toBe(true);
  expect(staysUnknown(over, { code: 'send_failed', details: { outcome: 'not_sent' } })).toBe(false);
});

test('the reason of a failure is the refusal’s own words and those about its fields', () => {
  const fields = { to: ['The to must be a mobile.'], body: ['The body is empty.'] };
  const reasonOf = (rejection: BusRejection) => attemptRefused(attempt, rejection)[0]?.data;
  expect(reasonOf({ code: 'invalid', message: 'No.', fields })).toMatchObject({
    reason: 'No. The to must be a mobile. The body is empty.',
  });
  expect(reasonOf({ code: 'never_heard_of' })).toMatchObject({ reason: 'never_heard_of' });
});
