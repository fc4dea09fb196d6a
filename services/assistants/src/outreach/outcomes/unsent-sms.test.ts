import type { LeadEvent, SmsUndeliverableEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { lead } from '../../lead/lead.ts';
import { smsUnsent } from './unsent-sms.ts';

const [undeliverable] = golden<SmsUndeliverableEvent>('SmsUndeliverable.v2');
const [ended] = golden<Extract<LeadEvent, { type: 'LeadAttemptEnded' }>>('LeadAttemptEnded.v1');
if (!undeliverable || !ended) throw new Error('The golden files hold them.');
const now = new Date('2026-11-21T20:00:00.000Z');

const ends = (outcome: 'completed' | 'failed'): LeadEvent => ({
  ...ended,
  data: { ...ended.data, outcome, next: null },
});
const handedOver = [...golden<LeadEvent>('LeadQueued.v1', 'LeadAttemptStarted.v1'), ends('completed')];
const leadAfter = (events: readonly LeadEvent[]) => {
  const state = given(lead, ...golden<LeadEvent>('LeadCreated.v1'), ...events);
  if (!state) throw new Error('It is there.');
  return state;
};
/** What it comes to, and the lead after it. */
const after = (events: readonly LeadEvent[], told: Partial<SmsUndeliverableEvent['data']> = {}) => {
  const state = leadAfter(events);
  const more = smsUnsent(state, { ...undeliverable.data, ...told }, now);
  return { types: more.map(({ type }) => type), events: more, lead: leadAfter([...events, ...more]) };
};
const inAMinute = '2026-11-21T20:01:00.000Z';

describe('an SMS that its carrier took and did not send', () => {
  test.each(['30001', '30002', '30022', '30036'])('gives its lead back for a minute (%s)', (code) => {
    const { events, lead: waiting } = after(handedOver, { code });
    expect(events).toMatchObject([
      {
        type: 'LeadAttemptWithdrawn',
        data: {
          ...{ attempt: 2, contact_id: null, due_at: inAMinute, is_outcome_unknown: false },
          reason: expect.stringMatching(/^The carrier did not send the SMS: .+\.$/),
        },
      },
    ]);
    expect(waiting).toMatchObject({
      status: 'queued',
      attempts: 2,
      tried: { times: 0 },
      // Its command was answered: it is another attempt that asks again.
      withdrawn: null,
      next: { contactId: null, dueAt: inAMinute },
    });
  });

  test.each(['30023', '30027', '30032', '30034', '30035'])(
    'for what stands against its number waits as long as one that is refused for that (%s)',
    (code) => {
      expect(smsUnsent(leadAfter(handedOver), { ...undeliverable.data, code }, now)).toMatchObject([
        { type: 'LeadAttemptWithdrawn', data: { due_at: '2026-11-21T20:15:00.000Z' } },
      ]);
    },
  );

  test.each([
    ['before its answer was on record', golden<LeadEvent>('LeadQueued.v1')],
    ['while nobody knew of it', golden<LeadEvent>('LeadQueued.v1', 'LeadAttemptWithdrawn.v1')],
  ])('gives its lead back %s', (_, events) => {
    const { events: more, lead: waiting } = after(events);
    expect(more).toMatchObject([
      { type: 'LeadAttemptStarted', data: { attempt: 2, reference: String(undeliverable.data.sms_id) } },
      { type: 'LeadAttemptWithdrawn' },
    ]);
    expect(waiting).toMatchObject({ status: 'queued', tried: { times: 0 }, withdrawn: null });
  });

  test('gives its lead back also where that had failed because nobody knew', () =>
    expect(after([...golden<LeadEvent>('LeadQueued.v1'), ends('failed')]).types).toEqual([
      'LeadAttemptWithdrawn',
    ]));
});

test.each([
  ['could not be delivered', handedOver, { code: '30003' }],
  ['is of a release that noted no request', handedOver, { command_id: null }],
  ['is of another attempt', handedOver, { command_id: 'b0a9c2b4-0000-5000-8000-000000000001' }],
  [
    'went to a number that the lead no longer has',
    [...handedOver, ...golden<LeadEvent>('LeadPhoneNumberChanged.v1')],
    {},
  ],
  ['is of an attempt that is outdated', golden<LeadEvent>('LeadQueued.v1', 'LeadPhoneNumberChanged.v1'), {}],
  [
    'is of an attempt after which somebody else is due',
    [...golden<LeadEvent>('LeadQueued.v1', 'LeadAttemptStarted.v1'), ended],
    {},
  ],
  ['is of a lead that was reopened', [...handedOver, ...golden<LeadEvent>('LeadReopened.v1')], {}],
  ['was told of before', [...handedOver, ...after(handedOver).events], {}],
])('an SMS that %s gives no lead back', (_, events, told) =>
  expect(after(events as LeadEvent[], told).events).toEqual([]),
);
