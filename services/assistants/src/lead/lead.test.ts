import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { type Campaign, type CampaignSettings, campaign } from '../campaign/campaign.ts';
import { campaignFor, createLead } from './create-lead.ts';
import { deleteLead } from './delete-lead.ts';
import { lead } from './lead.ts';
import { type NumberClaim, numberTaken } from './number-claim.ts';
import { phoneNumberFault } from './phone-number.ts';
import { reopenLead } from './reopen-lead.ts';
import { updateLead } from './update-lead.ts';

const now = new Date('2026-11-21T10:00:00.000Z');
const free: NumberClaim = { holders: undefined, onClaimTaken: numberTaken };
const callCampaign = settingsOf(given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1')));
const chatCampaign: CampaignSettings = { ...callCampaign, channel: 'chatapp' };
const command = {
  id: 12,
  campaign_id: 5,
  phone_number: '+4915112345678',
  contactIds: [13, 14],
  now,
  campaign: callCampaign,
  claim: free,
};
const added = golden<LeadEvent>('LeadCreated.v1');
const present = { id: 5, name: 'Spring' };

describe('a lead', () => {
  test('is created with what was sent, and claims its number within the campaign', () => {
    const contacts = [{ phone_number: '+14155552671', variables: { relation: 'sister' } }];
    expect(createLead(null, { ...command, secondary_contacts: contacts })).toMatchObject({
      events: [
        {
          type: 'LeadCreated',
          data: { id: 12, variables: {}, secondary_contacts: [{ id: 13, ...contacts[0] }], imported: null },
        },
      ],
      claims: [{ op: 'take', scope: 'lead-number:5', key: '+4915112345678', owner: 'lead-12' }],
    });
  });

  test('is refused by its numbers first, then by its campaign, then by what the campaign cannot have', () => {
    const secondary_contacts = [{ phone_number: '+14155552671' }, { phone_number: '12' }];
    expect(campaignFor({ ...command, secondary_contacts }, undefined)).toMatchObject({
      fields: { 'secondary_contacts.1.phone_number': [expect.stringContaining('E.164')] },
    });
    expect(campaignFor(command, undefined)).toEqual({ code: 'not_found' });
    const good = secondary_contacts.slice(0, 1);
    expect(campaignFor({ ...command, secondary_contacts: good }, chatCampaign)).toMatchObject({
      fields: { secondary_contacts: [expect.any(String)] },
    });
    expect(campaignFor({ ...command, secondary_contacts: good }, callCampaign)).toBe(callCampaign);
    expect(campaignFor(command, chatCampaign)).toBe(chatCampaign);
  });

  test('is updated without an event by what it has already, in whatever order Postgres gives that back', () => {
    const state = given(lead, ...added);
    if (!state) throw new Error('The golden file holds a lead.');
    const stored = { ...state, variables: { a: 1, b: { c: 2, d: [3, 4] } } };
    const update = { now, campaign: present, claim: free, variables: { b: { d: [3, 4], c: 2 }, a: 1 } };
    expect(updateLead(stored, update, 1)).toMatchObject({ events: [] });
    const other = { ...update, variables: { b: { d: [4, 3], c: 2 }, a: 1 } };
    expect(updateLead(stored, other, 1)).toMatchObject({ events: [{ type: 'LeadVariablesReplaced' }] });
  });

  test('is updated without an event when nothing would change, and claims a number that is new to it', () => {
    const state = given(lead, ...added);
    const same = { phone_number: '+4915112345678', variables: state?.variables };
    const update = { now, campaign: present, claim: free };
    expect(updateLead(state, { ...update, ...same }, 1)).toMatchObject({ events: [] });
    expect(updateLead(state, { ...update, phone_number: '+4915112345679' }, 3)).toMatchObject({
      events: [{ type: 'LeadPhoneNumberChanged' }],
      claims: [{ op: 'take', key: '+4915112345679', owner: 'lead-12/4' }],
      // What is told late of a message to the earlier number says nothing of this one.
      cancelTimers: ['late-answer:lead-12'],
    });
  });

  test('that gets another number has its variables with it, as what belongs to whoever has that', () => {
    const state = given(lead, ...added);
    if (!state) throw new Error('The golden file holds a lead.');
    const update = { now, campaign: present, claim: free, phone_number: '+4915112345679' };
    expect(updateLead(state, update, 1)).toMatchObject({
      events: [{ data: { variables: state.variables } }],
    });
    expect(updateLead(state, { ...update, variables: {} }, 1)).toMatchObject({
      events: [{ data: { variables: null } }, { type: 'LeadVariablesReplaced', data: { variables: {} } }],
    });
    const moved = given(lead, ...added, ...golden<LeadEvent>('LeadPhoneNumberChanged.v2'));
    expect(moved).toMatchObject({ phoneNumber: '+4915112345679', variables: { first_name: 'Łucja' } });
  });

  test('whose attempts are over is reached out to again when asked, and only then', () => {
    const again = (...more: LeadEvent[]) =>
      reopenLead(given(lead, ...added, ...more), { now, campaign: present });
    const [queued] = golden<LeadEvent>('LeadQueued.v1');
    const [ended] = golden<Extract<LeadEvent, { type: 'LeadAttemptEnded' }>>('LeadAttemptEnded.v1');
    if (!queued || !ended) throw new Error('There is no attempt.');
    const failed: LeadEvent = {
      ...ended,
      data: { ...ended.data, outcome: 'failed', reason: 'No such number.', next: null },
    };
    expect(again()).toMatchObject({ events: [], reply: { data: { status: 'created' } } });
    for (const underWay of [[queued], [queued, ended]])
      expect(again(...underWay)).toMatchObject({ fields: { status: [expect.any(String)] } });
    const over = given(lead, ...added, queued, failed);
    expect(over).toMatchObject({ status: 'failed', reason: 'No such number.', next: null });
    expect(again(queued, failed)).toMatchObject({
      events: [{ type: 'LeadReopened', data: { campaign_id: 5 } }],
      reply: { data: { status: 'created' } },
      cancelTimers: [expect.any(String)],
    });
    expect(given(lead, ...added, queued, failed, ...golden<LeadEvent>('LeadReopened.v1'))).toMatchObject({
      attempts: over?.attempts,
      tried: { contactId: null, times: 0 },
      reason: null,
      next: { contactId: null, dueAt: '2026-11-21T12:30:00.000Z' },
    });
  });

  test('may be as large as a body, and no larger when its numbers are written out', () => {
    const written = (text: string, room = 256 * 1024) =>
      JSON.parse(`[${Array.from({ length: room / (text.length + 1) }, () => text).join()}]`);
    const variables = { list: written('0') };
    const contacts = Array.from({ length: 1000 }, () => ({
      phone_number: '+14155552671',
      variables: { list: written('0', 200) },
    }));
    const contactIds = contacts.map((_, index) => 9_000_000 + index);
    for (const more of [{ variables }, { secondary_contacts: contacts, contactIds }])
      expect(createLead(null, { ...command, ...more })).toMatchObject({ events: [{ type: 'LeadCreated' }] });
    const inflated = { variables: { list: written('1e20') } };
    const refusal = { fields: { variables: [expect.stringContaining('409600 characters')] } };
    expect(createLead(null, { ...command, ...inflated })).toMatchObject(refusal);
    const state = given(lead, ...added);
    const update = { now, campaign: present, claim: free };
    expect(updateLead(state, { ...update, variables }, 1)).toMatchObject({ events: [{}] });
    expect(updateLead(state, { ...update, ...inflated }, 1)).toMatchObject(refusal);
    // One that has grown by the names of statuses since can still get another number.
    const grown = state && { ...state, ...inflated };
    expect(updateLead(grown, { ...update, phone_number: '+4915112345679' }, 1)).toMatchObject({
      events: [{ type: 'LeadPhoneNumberChanged' }],
    });
    const crowd = contacts.map((contact) => ({ ...contact, ...inflated }));
    expect(createLead(null, { ...command, secondary_contacts: crowd.slice(0, 1) })).toMatchObject({
      fields: { secondary_contacts: [expect.any(String)] },
    });
  });

  test('is not found before it is created and after it is deleted', () => {
    for (const state of [given(lead), given(lead, ...added, ...golden<LeadEvent>('LeadDeleted.v1'))]) {
      expect(updateLead(state, { now, campaign: present, claim: free }, 0)).toEqual({ code: 'not_found' });
      expect(deleteLead(state, { now })).toEqual({ code: 'not_found' });
      expect(reopenLead(state, { now, campaign: present })).toEqual({ code: 'not_found' });
    }
  });
});

test('histories written by every earlier version still fold to what they meant', () => {
  const queued = given(
    lead,
    ...added,
    ...golden<LeadEvent>('LeadPhoneNumberChanged.v1', 'LeadVariablesReplaced.v1', 'LeadQueued.v1'),
  );
  expect(queued).toMatchObject({
    id: 12,
    campaignId: 5,
    phoneNumber: '+4915112345679',
    variables: { first_name: 'Lucja' },
    status: 'queued',
    attempts: 2,
    tried: { contactId: null, times: 1 },
    attempt: { number: 2, contactId: null, reference: null },
    next: null,
  });
  const withdrawn = given({ ...lead, initialState: queued }, ...golden<LeadEvent>('LeadAttemptWithdrawn.v1'));
  expect(withdrawn).toMatchObject({
    status: 'queued',
    tried: { times: 0 },
    attempt: null,
    withdrawn: { number: 2, contactId: null },
    next: { contactId: null },
  });
  const started = given({ ...lead, initialState: queued }, ...golden<LeadEvent>('LeadAttemptStarted.v1'));
  expect(started).toMatchObject({ status: 'in_progress', attempt: { reference: '771' } });
  const ended = given({ ...lead, initialState: started }, ...golden<LeadEvent>('LeadAttemptEnded.v1'));
  expect(ended).toMatchObject({
    status: 'queued',
    attempt: null,
    next: { contactId: 13, dueAt: '2026-11-21T10:30:00.000Z' },
  });
});

test('a lead that was failed because nobody knew of its message is completed once that is told', () => {
  const [ended] = golden<Extract<LeadEvent, { type: 'LeadAttemptEnded' }>>('LeadAttemptEnded.v1');
  if (!ended) throw new Error('The golden file holds it.');
  const failed: LeadEvent = { ...ended, data: { ...ended.data, outcome: 'failed', next: null } };
  const events = [...added, ...golden<LeadEvent>('LeadQueued.v1'), failed];
  expect(given(lead, ...events)).toMatchObject({ status: 'failed', attempt: null, next: null });
  const corrected = given(lead, ...events, ...golden<LeadEvent>('LeadAttemptCorrected.v1'));
  expect(corrected).toMatchObject({ status: 'completed', attempt: null, next: null });
});

describe('an attempt that was withdrawn', () => {
  const queued = given(lead, ...added, ...golden<LeadEvent>('LeadQueued.v1'));
  const [withdrawal] =
    golden<Extract<LeadEvent, { type: 'LeadAttemptWithdrawn' }>>('LeadAttemptWithdrawn.v1');
  if (!withdrawal) throw new Error('There is no such event.');
  const moved = golden<LeadEvent>('LeadPhoneNumberChanged.v1');
  const after = (...events: LeadEvent[]) => given({ ...lead, initialState: queued }, ...events);

  test('keeps its number when it may have been asked for, until it is taken up again', () => {
    expect(after(withdrawal)?.withdrawn).toEqual({ number: 2, contactId: null });
    expect(after(withdrawal, ...golden<LeadEvent>('LeadQueued.v1'))).toMatchObject({
      attempts: 2,
      attempt: { number: 2, reference: null },
      withdrawn: null,
    });
  });

  test('is unknown since its service said so first, up to the next one; earlier releases did not note who said so', () => {
    const [again] = golden<Extract<LeadEvent, { type: 'LeadQueued' }>>('LeadQueued.v1');
    if (!again) throw new Error('There is no such event.');
    const next = { ...again, data: { ...again.data, attempt: 3 } };
    const withdrawn = (at: string, is_outcome_unknown: boolean | null) => ({
      ...withdrawal,
      data: { ...withdrawal.data, at, due_at: at, is_outcome_unknown },
    });
    const [evening, morning] = ['2026-11-21T17:30:00.000Z', '2026-11-22T09:00:00.000Z'];
    const sinceWhen = (...events: LeadEvent[]) => after(...events)?.unknownSince;
    expect(sinceWhen(withdrawn(evening, false), again)).toBeNull();
    expect(sinceWhen(withdrawn(evening, false), again, withdrawn(morning, true), again)).toBe(morning);
    expect(sinceWhen(withdrawn(evening, true), again, withdrawn(morning, false), again)).toBe(evening);
    expect(sinceWhen(withdrawn(evening, null), again, withdrawn(morning, true))).toBe(evening);
    expect(sinceWhen(withdrawn(evening, true), next)).toBeNull();
  });

  test('is the same in both versions of its event', () => {
    const { unknownSince: _, ...earlier } = after(withdrawal) ?? {};
    expect(after(...golden<LeadEvent>('LeadAttemptWithdrawn.v2'))).toMatchObject(earlier);
  });

  test('is a new one later when it was refused for now', () => {
    const due_at = '2026-11-21T09:30:01.000Z';
    expect(after({ ...withdrawal, data: { ...withdrawal.data, due_at } })).toMatchObject({
      attempts: 2,
      withdrawn: null,
    });
  });

  test('is a new one when the lead has another number, and stays when it was about a contact', () => {
    expect(after(withdrawal, ...moved)?.withdrawn).toBeNull();
    const ofContact = { ...withdrawal, data: { ...withdrawal.data, contact_id: 13 } };
    expect(after(ofContact, ...moved)?.withdrawn).toEqual({ number: 2, contactId: 13 });
  });

  test('was tried as often as its own number was, however the one before was tried', () => {
    const triedAgain = golden<LeadEvent>('LeadQueued.v1');
    const none = { contactId: null, times: 0 };
    expect(after(...moved)?.tried).toEqual(none);
    expect(after(...moved, withdrawal)?.tried).toEqual(none);
    expect(after(withdrawal, ...moved, ...triedAgain)?.tried).toEqual({ contactId: null, times: 1 });
    const back: LeadEvent = {
      type: 'LeadPhoneNumberChanged',
      data: { phone_number: queued?.phoneNumber ?? '', variables: null, at: now.toISOString() },
    };
    expect(after(...moved)?.attempt?.isOutdated).toBe(true);
    expect(after(...moved, back)).toMatchObject({ tried: { times: 1 }, attempt: { isOutdated: false } });
    const ofContact = given(
      { ...lead, initialState: queued && { ...queued, tried: { contactId: 13, times: 1 } } },
      ...moved,
    );
    expect(ofContact?.tried).toEqual({ contactId: 13, times: 1 });
  });

  test('is the same one when the lead’s line is spelled in another way', () => {
    const [brazilian, corrected] = ['+553187654321', '+5531987654321'].map((phone_number) => ({
      type: 'LeadPhoneNumberChanged' as const,
      data: { phone_number, variables: null, at: '2026-11-21T09:30:00.000Z' },
    }));
    if (!brazilian || !corrected) throw new Error('There are two.');
    const withOther = given(lead, ...added, brazilian, ...golden<LeadEvent>('LeadQueued.v1'));
    const then = (...events: LeadEvent[]) => given({ ...lead, initialState: withOther }, ...events);
    expect(then(corrected)).toMatchObject({
      phoneNumber: '+5531987654321',
      attempt: { number: 2, isOutdated: false },
    });
    expect(then(withdrawal, corrected)?.withdrawn).toEqual({ number: 2, contactId: null });
    const update = { phone_number: '+5531987654321', now, campaign: present, claim: free };
    const updated = updateLead(withOther, update, 3);
    expect(updated).toMatchObject({ events: [{ type: 'LeadPhoneNumberChanged' }] });
    // What is still to be told of its message is told of its number.
    expect(updated).not.toHaveProperty('cancelTimers');
  });

  test('counts as tried once it turns out that it had begun', () => {
    expect(after(withdrawal, ...golden<LeadEvent>('LeadAttemptStarted.v1'))).toMatchObject({
      status: 'in_progress',
      tried: { contactId: null, times: 1 },
      attempt: { number: 2, reference: '771' },
      withdrawn: null,
      next: null,
    });
  });
});

test.each(['+14155552671', '+4915112345678', '+442079460123', '+5511987654321', '+919876543210'])(
  '%s is a number in E.164',
  (text) => expect(phoneNumberFault(text)).toBeUndefined(),
);

test('an id is given out once, and a number that is none is refused by its field', () => {
  const state = given(lead, ...added);
  expect(() => createLead(state, command)).toThrow('twice');
  expect(updateLead(state, { phone_number: '12', now, campaign: present, claim: free }, 1)).toMatchObject({
    code: 'invalid',
    fields: { phone_number: [expect.stringContaining('E.164')] },
  });
  expect(updateLead(state, { variables: { a: 'b' }, now, campaign: present, claim: free }, 1)).toMatchObject({
    events: [{ type: 'LeadVariablesReplaced', data: { variables: { a: 'b' } } }],
    reply: { data: { variables: { a: 'b' } } },
  });
});

function settingsOf(state: Campaign): CampaignSettings {
  if (!state) throw new Error('There is no campaign.');
  return state.settings;
}
