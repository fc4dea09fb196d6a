import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { failuresByCampaign } from './failed-calls.ts';

type Ended = Extract<LeadEvent, { type: 'LeadAttemptEnded' }>;
const [ended] = golden<Ended>('LeadAttemptEnded.v1');
if (!ended) throw new Error('The golden file holds it.');

const attempt = (outcome: Ended['data']['outcome'], reason: string | null = null) =>
  recorded({ ...ended, data: { ...ended.data, outcome, reason, at: '2026-11-21T09:30:00.000Z' } });
const told = (...events: ReturnType<typeof attempt>[]) => [...failuresByCampaign(events).values()];

const unreported = attempt('completed', 'The call was answered, and no agent has told of it.');
const anew = { inARow: 0, isAnew: true };
const unchanged = { inARow: 0, isAnew: false };

test('calls that fail are counted since the last that did not, and the last one says until when', () => {
  expect(told(attempt('failed'), attempt('failed'))).toEqual([
    { failed: { inARow: 2, isAnew: false }, unreported: unchanged, until: '2026-11-21T09:45:00.000Z' },
  ]);
  for (const other of [attempt('completed'), attempt('no_answer'), unreported]) {
    expect(told(attempt('failed'), other)).toMatchObject([{ failed: anew }]);
    expect(told(other, attempt('failed'))).toMatchObject([{ failed: { inARow: 1, isAnew: true } }]);
  }
});

test('calls that somebody took and of which no agent has told are counted since one of which an agent has', () => {
  expect(told(unreported, unreported)).toMatchObject([{ unreported: { inARow: 2, isAnew: false } }]);
  for (const other of [attempt('failed'), attempt('no_answer'), attempt('no_answer', 'The line was busy.')]) {
    expect(told(unreported, other, unreported)).toMatchObject([{ unreported: { inARow: 2, isAnew: false } }]);
    expect(told(other)).toMatchObject([{ unreported: unchanged }]);
  }
  expect(told(unreported, attempt('completed'))).toMatchObject([{ unreported: anew }]);
});

test('whoever starts a campaign anew has its calls counted anew', () => {
  const [event] = golden<CampaignEvent>('CampaignStarted.v1');
  if (!event) throw new Error('The golden file holds it.');
  const campaignId = attempt('failed').data.campaign_id;
  const started = recorded({ ...event, streamId: `campaign-${campaignId}` });
  const counted = failuresByCampaign([attempt('failed'), unreported, started, attempt('failed')]);
  expect(counted.get(campaignId)).toMatchObject({ failed: { inARow: 1, isAnew: true }, unreported: anew });
  expect(failuresByCampaign([attempt('failed'), started]).get(campaignId)).toMatchObject({ failed: anew });
});

test('an attempt for which nobody was called says nothing of them', () => {
  expect(told(attempt('failed', 'This person was erased.'))).toEqual([]);
  expect(failuresByCampaign(golden<LeadEvent>('LeadQueued.v1').map((event) => recorded(event)))).toEqual(
    new Map(),
  );
});
