import { CallEnded, type CallEndedEvent, type CallNotPlacedEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { followCalls } from './follow-calls.ts';
import { accountId, followingWorld, leadId } from './follow-outcomes.fixture.ts';

const [ended] = golden<CallEndedEvent>('CallEnded.v1');
const event = recorded(
  { type: CallEnded.type, data: { ...ended?.data, call_id: 771, lead_id: leadId } },
  { accountId },
);
const called = ['LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptStarted.v1'];

test('the end of a call that came to nothing comes to nothing when it is told again, whoever is called meanwhile', async () => {
  const { begin, happened, hear, lead } = followingWorld(followCalls);
  await begin();
  await happened(...called, 'LeadAttemptEnded.v1');
  expect(await hear(event)).toMatchObject({ kind: 'appended', version: 4 });
  await happened('LeadQueued.v1');
  expect(await hear(event)).toMatchObject({ kind: 'repeated' });
  expect(await lead()).toMatchObject({ attempt: { reference: null } });
});

test('a call that was not placed gives its lead back where it may be placed later, else its end is what counts', async () => {
  const { begin, happened, hear, lead } = followingWorld(followCalls);
  await begin();
  await happened(...called);
  const [notPlaced] = golden<CallNotPlacedEvent>('CallNotPlaced.v2');
  if (!notPlaced) throw new Error('The golden file holds it.');
  const told = (data: Partial<typeof notPlaced.data>) =>
    recorded(
      { ...notPlaced, data: { ...notPlaced.data, call_id: 771, lead_id: leadId, ...data } },
      { accountId },
    );
  expect(await hear(told({ may_pass_later: false }))).toBeUndefined();
  expect(await hear(told({ lead_id: null }))).toBeUndefined();
  expect(await lead()).toMatchObject({ attempt: { reference: '771' } });
  await hear(told({}));
  expect(await lead()).toMatchObject({ status: 'queued', attempt: null, reason: notPlaced.data.reason });
});

test('a call that no campaign asked for is no news of any lead', async () => {
  const { hear } = followingWorld(followCalls);
  expect(await hear({ ...event, data: { ...event.data, lead_id: null } })).toBeUndefined();
});

test('the calls of one account wait for those of no other', () => {
  const { reactor } = followingWorld(followCalls);
  expect(reactor.laneOf?.(event)).toBeDefined();
  expect(reactor.laneOf?.(event)).not.toBe(reactor.laneOf?.({ ...event, accountId: 4 }));
});
