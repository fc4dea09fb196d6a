import type { CallEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { pastCall } from './past-call.ts';

const call = (...names: readonly string[]) => given(pastCall, ...golden<CallEvent>(...names));

test('a call is what its events have made of it by then, and nothing before the first of them', () => {
  expect(call()).toBeNull();
  expect(call('CallDialed.v1')).toBeNull();
  const requested = call('CallRequested.v1');
  expect(requested).toMatchObject({
    id: 81,
    direction: 'outbound',
    status: 'queued',
    cost: null,
    lead_id: 5,
  });
  expect(requested).not.toHaveProperty('room');
  expect(call('CallRequested.v1', 'CallDialed.v1')).toMatchObject({ status: 'ringing' });
  expect(call('CallRequested.v1', 'CallDialed.v1', 'CallEnded.v1', 'CallCharged.v1')).toMatchObject({
    status: 'completed',
    duration: 74,
    cost: '0.20',
    finished_at: '2026-11-21T09:31:14.000Z',
    recording_url: 'https://recordings.example/81.mp3',
  });
});

test('a call that arrived is in progress from the start, and what it was not charged costs nothing', () => {
  expect(call('CallArrived.v1')).toMatchObject({
    id: 82,
    channel: 'chatapp',
    direction: 'inbound',
    status: 'in_progress',
    lead_id: null,
    created_at: '2026-11-21T09:40:00.000Z',
  });
  expect(call('CallArrived.v1', 'CallNotCharged.v1')).toMatchObject({
    cost: '0.00',
    reason: 'The balance was too low to pay for the call.',
  });
});

test('a call that could not be placed, or of which nobody said how it ended, has a reason', () => {
  for (const name of ['CallNotPlaced.v1', 'CallDeadlinePassed.v1'])
    expect(call('CallRequested.v1', name)?.reason).toEqual(expect.any(String));
});

test('a recording that comes after the call is shown with it, and a call that was given up stays as it was', () => {
  expect(call('CallRequested.v1', 'CallEnded.v1', 'CallRecordingAdded.v1')?.recording_url).toMatch(/^https:/);
  expect(call('CallRequested.v1', 'CallDropped.v1')).toEqual(call('CallRequested.v1'));
});
