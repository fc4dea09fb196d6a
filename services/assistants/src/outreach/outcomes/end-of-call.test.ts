import type { CallEndedEvent, CallNotPlacedEvent, CampaignEvent, LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { campaign } from '../../campaign/campaign.ts';
import { lead, leadStream } from '../../lead/lead.ts';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { callPutOff, endOfCall } from './end-of-call.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const settings = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'))?.settings;
const [ended] = golden<CallEndedEvent>('CallEnded.v1');

const after = (call: Partial<CallEndedEvent['data']>, ...names: readonly string[]) => {
  const state = given(lead, ...golden<LeadEvent>('LeadCreated.v1', ...names));
  if (!state || !settings || !ended) throw new Error('The golden files hold a lead, a campaign and a call.');
  const { phoneNumber: customer_phone } = state;
  return endOfCall(state, { ...ended.data, call_id: 771, customer_phone, ...call }, settings, now);
};
const typesOf = (events: readonly LeadEvent[]) => events.map(({ type }) => type);

test('a call ends the attempt that it was placed for, and no other', () => {
  expect(after({ status: 'busy' }, 'LeadQueued.v1', 'LeadAttemptStarted.v1')).toMatchObject([
    {
      type: 'LeadAttemptEnded',
      data: {
        attempt: 2,
        contact_id: null,
        outcome: 'no_answer',
        reason: 'The line was busy.',
        at: now.toISOString(),
      },
    },
  ]);
  expect(after({ call_id: 772 }, 'LeadQueued.v1', 'LeadAttemptStarted.v1')).toEqual([]);
  expect(after({})).toEqual([]);
});

test('a call that somebody took, and of which no agent has told, reached them as far as is known', () => {
  const nothing: Partial<CallEndedEvent['data']> = { status: 'completed', duration_s: 0, transcript: [] };
  const reasonAfter = (call: Partial<CallEndedEvent['data']>) =>
    after({ ...nothing, ...call }, 'LeadQueued.v1', 'LeadAttemptStarted.v1').map(({ data }) => data);
  const reason = 'The call was answered, and no agent has told of it.';
  expect(reasonAfter({})).toMatchObject([{ outcome: 'completed', reason, next: null }]);
  for (const told of [{ duration_s: 1 }, { transcript: [{ role: 'assistant', text: 'Hello' }] }])
    expect(reasonAfter(told)).toMatchObject([{ outcome: 'completed', reason: null }]);
  for (const status of ['failed', 'no_answer'] as const)
    expect(reasonAfter({ status })).toMatchObject([{ outcome: status, reason: null }]);
});

test('it may be over before the answer to its command is on record: its history names it all the same', () => {
  expect(after({ status: 'completed' }, 'LeadQueued.v1')).toMatchObject([
    { type: 'LeadAttemptStarted', data: { attempt: 2, contact_id: null, reference: '771' } },
    { type: 'LeadAttemptEnded', data: { outcome: 'completed', reason: null, next: null } },
  ]);
});

test('the call to a number that the lead had before is none of an attempt that nobody has heard of yet', () => {
  const moved = ['LeadQueued.v1', 'LeadAttemptWithdrawn.v1', 'LeadPhoneNumberChanged.v1'];
  const earlier = { customer_phone: '+4915112345678', status: 'completed' } as const;
  expect(after(earlier, ...moved, 'LeadQueued.v1')).toEqual([]);
  expect(after(earlier, 'LeadQueued.v1', 'LeadPhoneNumberChanged.v1')).toEqual([]);
  expect(typesOf(after({ status: 'completed' }, ...moved, 'LeadQueued.v1'))).toEqual([
    'LeadAttemptStarted',
    'LeadAttemptEnded',
  ]);
  const begun = ['LeadQueued.v1', 'LeadAttemptStarted.v1', 'LeadPhoneNumberChanged.v1'];
  expect(typesOf(after(earlier, ...begun))).toEqual(['LeadAttemptEnded']);
});

test.each(['completed', 'no_answer', 'failed'] as const)(
  'a call to the number that the lead had before, which ends as %s, leaves the new one its own attempts',
  (status) => {
    const events = ['LeadQueued.v1', 'LeadAttemptStarted.v1', 'LeadPhoneNumberChanged.v1'];
    expect(after({ customer_phone: '+4915112345678', status }, ...events)).toMatchObject([
      { data: { outcome: status, next: { contact_id: null, due_at: now.toISOString() } } },
    ]);
  },
);

test('the call to another spelling of the number is that of the attempt', () => {
  const respelled = given(
    lead,
    ...golden<LeadEvent>('LeadCreated.v1'),
    {
      type: 'LeadPhoneNumberChanged',
      data: { phone_number: '+553187654321', variables: null, at: now.toISOString() },
    },
    ...golden<LeadEvent>('LeadQueued.v1'),
    {
      type: 'LeadPhoneNumberChanged',
      data: { phone_number: '+5531987654321', variables: null, at: now.toISOString() },
    },
  );
  if (!respelled || !settings || !ended) throw new Error('The golden files hold them.');
  const call = { ...ended.data, call_id: 771, customer_phone: '+553187654321' };
  expect(typesOf(endOfCall(respelled, call, settings, now))).toEqual([
    'LeadAttemptStarted',
    'LeadAttemptEnded',
  ]);
});

test('the end of a call that was put off is none of the attempt after it', () => {
  const putOff = ['LeadQueued.v1', 'LeadAttemptStarted.v1', 'LeadAttemptWithdrawn.v1'];
  expect(after({ status: 'failed' }, ...putOff, 'LeadQueued.v1')).toEqual([]);
});

test('the attempt of a stopped campaign turns out to have begun, and is over', () => {
  const events = after({ status: 'failed' }, 'LeadQueued.v1', 'LeadAttemptWithdrawn.v1');
  expect(typesOf(events)).toEqual(['LeadAttemptStarted', 'LeadAttemptEnded']);
  expect(events).toMatchObject([
    { data: { campaign_id: 5, attempt: 2, contact_id: null, reference: '771', at: now.toISOString() } },
    { data: { campaign_id: 5, attempt: 2, contact_id: null, outcome: 'failed' } },
  ]);
});

test('a call that the voice platform was not there for is made again a minute later, and its end is none of the attempt', () => {
  const [notPlaced] = golden<CallNotPlacedEvent>('CallNotPlaced.v2');
  const begun = golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptStarted.v1');
  const state = given(lead, ...begun);
  if (!state || !settings || !ended || !notPlaced) throw new Error('The golden files hold them.');
  const putOff = callPutOff(state, { ...notPlaced.data, call_id: 771, command_id: null }, now);
  expect(putOff).toMatchObject([
    {
      type: 'LeadAttemptWithdrawn',
      data: {
        attempt: 2,
        contact_id: null,
        reason: notPlaced.data.reason,
        due_at: '2026-11-21T10:01:00.000Z',
        is_outcome_unknown: false,
      },
    },
  ]);
  const waiting = given(lead, ...begun, ...putOff);
  expect(waiting).toMatchObject({ status: 'queued', attempt: null, next: { contactId: null } });
  if (!waiting) throw new Error('It is there.');
  expect(endOfCall(waiting, { ...ended.data, call_id: 771, status: 'failed' }, settings, now)).toEqual([]);
  expect(callPutOff(state, { ...notPlaced.data, call_id: 772, command_id: null }, now)).toEqual([]);
});

test('a call to a number that the lead had before, and that was not placed, is none of the attempt at the new one', () => {
  const [notPlaced] = golden<CallNotPlacedEvent>('CallNotPlaced.v2');
  const [created, queued] = golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1');
  const moved = golden<LeadEvent>('LeadAttemptWithdrawn.v1', 'LeadPhoneNumberChanged.v1');
  if (!notPlaced || !created || queued?.type !== 'LeadQueued') throw new Error('The golden files hold them.');
  const next: LeadEvent = { ...queued, data: { ...queued.data, attempt: 3 } };
  const state = given(lead, created, queued, ...moved, next);
  if (!state) throw new Error('It is there.');
  const putOff = (attempt: number) =>
    callPutOff(
      state,
      { ...notPlaced.data, call_id: 771, command_id: commandIdOf(leadStream(state.id), attempt) },
      now,
    );
  expect(putOff(2)).toEqual([]);
  expect(typesOf(putOff(3))).toEqual(['LeadAttemptStarted', 'LeadAttemptWithdrawn']);
});
