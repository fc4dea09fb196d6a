import type { CallEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { fieldsOf, newItem } from './item.ts';

const [requested] = golden<Extract<CallEvent, { type: 'CallRequested' }>>('CallRequested.v1');
if (!requested) throw new Error('There is a golden file of it.');

test('a call that was just asked for has nothing yet of what it will bring, and no room to show', () => {
  expect(newItem(requested)).toEqual({
    id: 81,
    channel: 'phone',
    direction: 'outbound',
    status: 'queued',
    assistant_id: 12,
    customer_phone: '+4930901820',
    assistant_phone: '+14155550123',
    lead_id: 5,
    campaign_id: 3,
    input_variables: requested.data.input_variables,
    created_at: '2026-11-21T09:30:00.000Z',
    duration: 0,
    cost: null,
    reason: null,
    extracted_variables: {},
    transcript: [],
    recording_url: null,
    finished_at: null,
  });
});

test.each([
  ['CallNotPlaced.v2', { reason: expect.any(String) }],
  ['CallDeadlinePassed.v1', { reason: 'No report of the call came in time.' }],
  ['CallRecordingAdded.v1', { recording_url: expect.stringMatching(/^https:/) }],
  ['CallNotCharged.v1', { cost: '0.00', reason: 'The balance was too low to pay for the call.' }],
  ['CallDropped.v1', {}],
])('%s changes of a call what it says', (name, changed) => {
  const [event] = golden<CallEvent>(name);
  expect(event && fieldsOf(event)).toEqual(changed);
});
