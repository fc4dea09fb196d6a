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

test('calls that fail are counted since the last that did not, and the last one says until when', () => {
  expect(told(attempt('failed'), attempt('failed'))).toEqual([
    { inARow: 2, isAnew: false, holdUp: expect.stringContaining('2026-11-21T09:45:00.000Z') },
  ]);
  for (const outcome of ['completed', 'no_answer'] as const) {
    expect(told(attempt('failed'), attempt(outcome))).toEqual([{ inARow: 0, isAnew: true, holdUp: 'null' }]);
    expect(told(attempt(outcome), attempt('failed'))).toMatchObject([{ inARow: 1, isAnew: true }]);
  }
});

test('calls that somebody took, and of which no agent has told, are counted as well', () => {
  const unreported = attempt('completed', 'The call was answered, and no agent has told of it.');
  expect(told(attempt('failed'), unreported)).toMatchObject([
    { inARow: 2, isAnew: false, holdUp: expect.stringContaining('no agent has told of them') },
  ]);
  expect(told(unreported, attempt('completed'))).toMatchObject([{ inARow: 0, isAnew: true }]);
  expect(told(attempt('no_answer', 'The line was busy.'))).toMatchObject([{ inARow: 0, isAnew: true }]);
});

test('whoever starts a campaign anew has its calls counted anew', () => {
  const [event] = golden<CampaignEvent>('CampaignStarted.v1');
  if (!event) throw new Error('The golden file holds it.');
  const campaignId = attempt('failed').data.campaign_id;
  const started = recorded({ ...event, streamId: `campaign-${campaignId}` });
  const counted = failuresByCampaign([attempt('failed'), started, attempt('failed')]);
  expect(counted.get(campaignId)).toMatchObject({ inARow: 1, isAnew: true });
  expect(failuresByCampaign([attempt('failed'), started]).get(campaignId)).toMatchObject({ inARow: 0 });
});

test('an attempt for which nobody was called says nothing of them', () => {
  expect(told(attempt('failed', 'This person was erased.'))).toEqual([]);
  expect(failuresByCampaign(golden<LeadEvent>('LeadQueued.v1').map((event) => recorded(event)))).toEqual(
    new Map(),
  );
});
