import type { CampaignEvent, LeadEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { campaign } from '../campaign/campaign.ts';
import { lead } from '../lead/lead.ts';
import { obstacleTo } from './attempt/obstacle.ts';
import { whatComesNext } from './attempt/what-comes-next.ts';
import { whomToReach } from './attempt/whom-to-reach.ts';
import { mayBeOver, nextStep, type Queue } from './pacing/pace.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const always = { channel: 'sms' as const, timezone: 'UTC', windows: [] };
const calling = { ...always, channel: 'call' as const };
const office = { ...always, windows: [{ days: [1, 2, 3, 4, 5], from: '12:00', to: '17:00' }] };
const later = (ms: number) => ({ kind: 'wait', until: new Date(now.getTime() + ms) });

describe('a running campaign', () => {
  const ready: Queue = {
    now,
    lastQueuedAt: null,
    lastWithdrawn: null,
    failingInARow: 0,
    inFlight: 0,
    next: { leadId: 12, dueAt: now },
  };

  test('queues the lead that is due', () => {
    expect(nextStep(always, ready)).toEqual({ kind: 'queue', leadId: 12 });
  });

  test('rests 200 ms after each', () => {
    expect(nextStep(always, { ...ready, lastQueuedAt: new Date(now.getTime() - 50) })).toEqual(later(150));
    expect(nextStep(always, { ...ready, lastQueuedAt: new Date(now.getTime() - 200) }).kind).toBe('queue');
  });

  test('calls nobody sooner than a second after the last one, as carriers take one new call a second', () => {
    expect(nextStep(calling, { ...ready, lastQueuedAt: new Date(now.getTime() - 1_000) })).toEqual(
      later(500),
    );
    expect(nextStep(calling, { ...ready, lastQueuedAt: new Date(now.getTime() - 1_500) }).kind).toBe('queue');
  });

  test('rests 5 s after an attempt was given back, longer after many in a row, and for as long as that was', () => {
    const ago = (ms: number, forMs = 0, inARow = 1) => {
      const at = now.getTime() - ms;
      return { ...ready, lastWithdrawn: { at: new Date(at), until: new Date(at + forMs), inARow } };
    };
    expect(nextStep(always, ago(1_000))).toEqual(later(4_000));
    expect(nextStep(always, ago(5_000)).kind).toBe('queue');
    expect(nextStep(always, ago(5_000, 900_000))).toEqual(later(895_000));
    expect(nextStep(always, ago(900_000, 900_000)).kind).toBe('queue');
    const over = { at: new Date(now.getTime() - 1_000), until: null, inARow: 1 };
    expect(nextStep(always, { ...ready, lastWithdrawn: over })).toEqual(later(4_000));
    const restOf = (inARow: number) => nextStep(always, ago(1, 0, inARow));
    expect([9, 10, 35, 60, 10_000].map(restOf)).toEqual(
      [5_000, 10_000, 40_000, 300_000, 300_000].map((ms) => later(ms - 1)),
    );
  });

  test('takes what a lead was given back for to be over once it is started anew, or one of its calls has ended since', () => {
    const [before, after] = [new Date(now.getTime() - 1), new Date(now.getTime() + 1)];
    const since = { at: now, until: null, inARow: 0 };
    const isOver = (lastWithdrawn: Queue['lastWithdrawn'], startedAt = before) =>
      mayBeOver('call', { ...ready, lastWithdrawn }, startedAt);
    expect(isOver(since)).toBe(true);
    expect(mayBeOver('sms', { ...ready, lastWithdrawn: since }, before)).toBe(false);
    // Another call has begun, or failed for its lead's sake.
    expect(isOver({ ...since, inARow: 1 })).toBe(false);
    expect(isOver({ ...since, until: after })).toBe(false);
    for (const startedAt of [now, after])
      expect(isOver({ at: now, until: after, inARow: 1 }, startedAt)).toBe(true);
    expect(isOver(null, after)).toBe(false);
  });

  test('rests a quarter of an hour after each once twenty calls in a row have failed', () => {
    const failing = (failingInARow: number, agoMs: number) =>
      nextStep(calling, { ...ready, failingInARow, lastQueuedAt: new Date(now.getTime() - agoMs) });
    expect(failing(19, 1_500).kind).toBe('queue');
    expect(failing(20, 200)).toEqual(later(15 * 60_000 - 200));
    expect(failing(20, 15 * 60_000).kind).toBe('queue');
  });

  test('waits while nobody waits, ten attempts go on, or the next one is not due', () => {
    expect(nextStep(always, { ...ready, next: null })).toEqual(later(60_000));
    expect(nextStep(always, { ...ready, inFlight: 10 })).toEqual(later(60_000));
    const due = new Date(now.getTime() + 5_000);
    expect(nextStep(always, { ...ready, next: { leadId: 12, dueAt: due } })).toEqual(later(5_000));
  });

  test('waits for its next window', () => {
    expect(nextStep(office, ready)).toEqual(later(2 * 3_600_000));
    const weekend = new Date('2026-11-21T13:00:00.000Z');
    expect(nextStep(office, { ...ready, now: weekend })).toEqual({
      kind: 'wait',
      until: new Date('2026-11-23T12:00:00.000Z'),
    });
  });
});

describe('after an attempt', () => {
  const retries = { max_attempts: 2, delay_minutes: 60 };
  const attempt = (number: number, contact_id: number | null): LeadEvent => ({
    type: 'LeadQueued',
    data: { campaign_id: 5, attempt: number, contact_id, channel: 'call', at: now.toISOString() },
  });
  const after = (outcome: 'completed' | 'no_answer' | 'failed', ...attempts: LeadEvent[]) => {
    const state = given(lead, ...golden<LeadEvent>('LeadCreated.v1'), ...attempts);
    if (!state) throw new Error('The lead is there.');
    return whatComesNext(state, outcome, retries, now);
  };
  const inAnHour = '2026-11-20T11:00:00.000Z';

  test('that reached someone nothing comes', () => {
    expect(after('completed', attempt(1, null))).toBeNull();
  });

  test('that nobody answered the same one comes again, as often as the settings say', () => {
    expect(after('no_answer', attempt(1, null))).toEqual({ contact_id: null, due_at: inAnHour });
    expect(after('no_answer', attempt(1, null), attempt(2, null))).toEqual({
      contact_id: 13,
      due_at: now.toISOString(),
    });
  });

  test('that failed the next contact comes, each with attempts of its own, until there is none', () => {
    const both = [attempt(1, null), attempt(2, null)];
    expect(after('failed', attempt(1, null))).toEqual({ contact_id: 13, due_at: now.toISOString() });
    expect(after('no_answer', ...both, attempt(3, 13))).toEqual({ contact_id: 13, due_at: inAnHour });
    expect(after('no_answer', ...both, attempt(3, 13), attempt(4, 13))).toMatchObject({ contact_id: 14 });
    expect(after('failed', ...both, attempt(3, 13), attempt(4, 14))).toBeNull();
  });

  test('a contact who was erased does not come, nor again', () => {
    const [created] = golden<LeadEvent>('LeadCreated.v1');
    if (created?.type !== 'LeadCreated') throw new Error('The lead is there.');
    const [first, second] = created.data.secondary_contacts;
    if (!first || !second) throw new Error('It has contacts.');
    const erased = { ...first, phone_number: 'erased:0198c5a0-0000-7000-8000-000000000001', variables: {} };
    const data = { ...created.data, secondary_contacts: [erased, second] };
    const state = given(lead, { ...created, data }, attempt(1, null));
    const called = given(lead, { ...created, data }, attempt(1, null), attempt(2, erased.id));
    for (const each of [
      state && whatComesNext(state, 'failed', retries, now),
      called && whatComesNext(called, 'no_answer', retries, now),
    ])
      expect(each).toMatchObject({ contact_id: second.id, due_at: now.toISOString() });
  });

  test('the number that the lead got meanwhile comes, and is not taken for one that was tried', () => {
    const moved = (phone_number: string): LeadEvent => ({
      type: 'LeadPhoneNumberChanged',
      data: { phone_number, variables: null, at: now.toISOString() },
    });
    const failed = (attempt: number, contact_id: number | null, next: number): LeadEvent => ({
      type: 'LeadAttemptEnded',
      data: {
        ...{ campaign_id: 5, attempt, contact_id, outcome: 'failed', reason: null, at: now.toISOString() },
        next: { contact_id: next, due_at: now.toISOString() },
      },
    });
    const ownFailed = [attempt(1, null), failed(1, null, 13), attempt(2, 13)];
    const first = { contact_id: null, due_at: now.toISOString() };
    expect(after('failed', ...ownFailed, moved('+4915112345679'))).toEqual(first);
    expect(after('no_answer', attempt(1, null), moved('+4915112345679'))).toEqual(first);
    // The number of the last contact, which is not called twice.
    const asLast = [...ownFailed, moved('+14155552672')];
    expect(after('failed', ...asLast)).toEqual(first);
    expect(after('failed', ...asLast, failed(2, 13, 14), attempt(3, 14))).toBeNull();
  });

  test('a contact whose line was tried already is passed over', () => {
    const [created] = golden<LeadEvent>('LeadCreated.v1');
    if (created?.type !== 'LeadCreated') throw new Error('The lead is there.');
    const [first, second] = created.data.secondary_contacts;
    if (!first || !second) throw new Error('It has contacts.');
    const spelledOtherwise = { ...first, phone_number: '+551187654321' };
    const next = (contacts: (typeof first)[], ...attempts: LeadEvent[]) => {
      const data = { ...created.data, phone_number: '+5511987654321', secondary_contacts: contacts };
      const state = given(lead, { ...created, data }, ...attempts);
      return state && whatComesNext(state, 'failed', retries, now)?.contact_id;
    };
    expect(next([spelledOtherwise, second], attempt(1, null))).toBe(second.id);
    expect(next([second, spelledOtherwise], attempt(1, null), attempt(2, second.id))).toBeUndefined();
  });
});

describe('a campaign reaches out', () => {
  const state = given(lead, ...golden<LeadEvent>('LeadCreated.v1'));
  if (!state) throw new Error('The lead is there.');
  const mapping = { vorname: 'first_name', number: 'phone_number', missing: 'toString' };

  test('with the lead’s variables and those mapped from them', () => {
    expect(whomToReach(state, null, { variable_mapping: mapping })).toEqual({
      phoneNumber: '+4915112345678',
      variables: { ...state.variables, vorname: state.variables.first_name, number: '+4915112345678' },
    });
  });

  test('to a contact with the contact’s variables before the lead’s', () => {
    const { phoneNumber, variables } = whomToReach(state, 14, { variable_mapping: mapping });
    expect([phoneNumber, variables.relation, variables.number]).toEqual([
      '+14155552672',
      'sister',
      '+14155552672',
    ]);
  });

  test('to a contact with what the contact itself has, also where the campaign maps the lead’s own over it', () => {
    const [first] = state.contacts;
    if (!first) throw new Error('It has contacts.');
    const variablesOf = (variables: typeof first.variables) =>
      whomToReach({ ...state, contacts: [{ ...first, variables }] }, first.id, { variable_mapping: mapping })
        .variables;
    expect(variablesOf({ vorname: 'Bob' }).vorname).toBe('Bob');
    expect(variablesOf({ vorname: 'Bob', first_name: 'Eve' }).vorname).toBe('Eve');
    expect(variablesOf({}).vorname).toBe(state.variables.first_name);
    expect(variablesOf({ number: '12' }).number).toBe(first.phoneNumber);
  });
});

test('an attempt is not carried out of a campaign that was stopped, after hours, or at a number that was changed', () => {
  const queued = golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1');
  const obstacle = (isRunning: boolean, hours: typeof office, ...more: readonly LeadEvent[]) => {
    const state = given(lead, ...queued, ...more);
    const settings = given(campaign, ...golden<CampaignEvent>('CampaignCreated.v1'))?.settings;
    if (!state || !settings) throw new Error('The golden files hold them.');
    return obstacleTo({ lead: state, settings: { ...settings, ...hours }, now }, isRunning);
  };
  expect(obstacle(true, always)).toBeUndefined();
  expect(obstacle(false, always)).toBe('The campaign was stopped.');
  expect(obstacle(true, office)).toBe('The window has closed.');
  expect(obstacle(true, always, ...golden<LeadEvent>('LeadPhoneNumberChanged.v1'))).toBe(
    'The phone number was changed.',
  );
});

test('a campaign whose windows never open looks again now and then', () => {
  const never = { ...always, windows: [{ days: [], from: '12:00', to: '17:00' }] };
  const queue = {
    now,
    lastQueuedAt: null,
    lastWithdrawn: null,
    failingInARow: 0,
    inFlight: 0,
    next: { leadId: 12, dueAt: now },
  };
  expect(nextStep(never, queue)).toEqual(later(60_000));
});
