import type { LeadEvent } from '@parley/contracts';
import { golden, recorded } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { createdContacts, leadChanges } from './lead-changes.ts';

const batch = (...names: readonly string[]) =>
  leadChanges(golden<LeadEvent>(...names).map((event) => recorded(event, { streamId: 'lead-12' })));

describe('a batch about one lead', () => {
  test('comes to one change, with what was said last', () => {
    expect(batch('LeadCreated.v1', 'LeadPhoneNumberChanged.v1', 'LeadVariablesReplaced.v1')).toMatchObject([
      {
        id: 12,
        created: { type: 'LeadCreated' },
        isDeleted: false,
        phoneNumber: '+4915112345679',
        variables: { first_name: 'Lucja' },
        status: 'created',
        isInFlight: false,
      },
    ]);
  });

  test('leaves alone what it does not speak of', () => {
    expect(batch('LeadPhoneNumberChanged.v1')).toEqual([
      {
        id: 12,
        isDeleted: false,
        contacts: {},
        phoneNumber: '+4915112345679',
        updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      },
    ]);
    expect(batch('LeadPhoneNumberChanged.v2')).toMatchObject([{ variables: { first_name: 'Łucja' } }]);
    expect(batch('LeadDeleted.v1')).toEqual([{ id: 12, isDeleted: true, contacts: {} }]);
  });

  test('follows an attempt: in flight, withdrawn and waiting again, ended with a next or without', () => {
    expect(batch('LeadQueued.v1')).toMatchObject([{ status: 'queued', waitsFrom: null, isInFlight: true }]);
    expect(batch('LeadQueued.v1', 'LeadAttemptStarted.v1')).toMatchObject([
      { status: 'in_progress', waitsFrom: null, isInFlight: true },
    ]);
    const [withdrawn] = batch('LeadQueued.v1', 'LeadAttemptWithdrawn.v1');
    expect(withdrawn).toMatchObject({ isInFlight: false, waitsFrom: expect.any(String) });
    const [ended] = batch('LeadQueued.v1', 'LeadAttemptEnded.v1');
    expect(ended).toMatchObject({
      status: 'queued',
      isInFlight: false,
      waitsFrom: '2026-11-21T10:30:00.000Z',
    });
    expect(batch('LeadQueued.v1', 'LeadAttemptEnded.v1', 'LeadRetryDropped.v1')).toMatchObject([
      { status: 'queued', isInFlight: false, waitsFrom: '2026-11-21T10:30:00.000Z' },
    ]);
    const [dropped] = golden<Extract<LeadEvent, { type: 'LeadRetryDropped' }>>('LeadRetryDropped.v1');
    if (!dropped) throw new Error('The golden file holds it.');
    const over = { ...dropped, data: { ...dropped.data, next: null } };
    expect(leadChanges([recorded(over, { streamId: 'lead-12' })])).toMatchObject([
      { status: 'no_answer', waitsFrom: null },
    ]);
    const [corrected] = batch('LeadQueued.v1', 'LeadAttemptEnded.v1', 'LeadAttemptCorrected.v1');
    expect(corrected).toMatchObject({ status: 'completed', isInFlight: false });
    expect(batch('LeadQueued.v1', 'LeadAttemptEnded.v1', 'LeadReopened.v1')).toMatchObject([
      { status: 'created', isInFlight: false, waitsFrom: '2026-11-21T12:30:00.000Z' },
    ]);
    const [last] = golden<Extract<LeadEvent, { type: 'LeadAttemptEnded' }>>('LeadAttemptEnded.v1');
    if (!last) throw new Error('There is no attempt.');
    const finally_ = { ...last, data: { ...last.data, next: null } };
    expect(leadChanges([recorded(finally_, { streamId: 'lead-12' })])).toMatchObject([
      { status: last.data.outcome, waitsFrom: null },
    ]);
  });
});

test('a contact that was tried is shown so, also when the batch created it', () => {
  const [created] = golden<Extract<LeadEvent, { type: 'LeadCreated' }>>('LeadCreated.v1');
  const contact = created?.data.secondary_contacts[0];
  if (!created || !contact) throw new Error('There is no contact.');
  const queued: LeadEvent = {
    type: 'LeadQueued',
    data: {
      campaign_id: 5,
      attempt: 2,
      contact_id: contact.id,
      channel: 'call',
      at: '2026-11-21T11:00:00.000Z',
    },
  };
  const changes = leadChanges([created, queued].map((event) => recorded(event, { streamId: 'lead-12' })));
  expect(changes.flatMap(createdContacts)[0]).toMatchObject({
    id: contact.id,
    status: 'queued',
    updated_at: '2026-11-21 11:00:00',
  });
  expect(batch('LeadDeleted.v1').flatMap(createdContacts)).toEqual([]);
});
