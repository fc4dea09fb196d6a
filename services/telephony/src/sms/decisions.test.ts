import { reject, type SmsEvent } from '@parley/contracts';
import type { SmsReport } from '@parley/providers/twilio';
import { given } from '@parley/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerRequest,
  applyReport,
  drop,
  recordRefused,
  recordSent,
  recordUnknown,
  startSend,
  takeBack,
} from './decisions.ts';
import { isAtWork, isSent, type Sms, type StartedSms, sms, smsOfReference, smsStream } from './sms.ts';
import { smsChecks } from './sms-check.ts';

const start: StartedSms = {
  sms_id: 51,
  lead_id: 5,
  campaign_id: 3,
  phone_number_id: 7,
  own_phone: '+14155550123',
  customer_phone: '+491701234567',
  body: 'Hello Ada',
  price_micros: 50_000,
  hold_id: 'hold-1',
  command_id: 'command-1',
};
const started: SmsEvent = { type: 'SmsSendStarted', data: start };
const sent: SmsEvent = { type: 'SmsSent', data: { sms_id: 51, carrier_sid: 'SM1' } };
const unknown: SmsEvent = { type: 'SmsOutcomeUnknown', data: { sms_id: 51, reason: 'no answer' } };
const refused: SmsEvent = { type: 'SmsFailed', data: { sms_id: 51, code: '21211', reason: 'no' } };
const undeliverable: SmsEvent = {
  type: 'SmsUndeliverable',
  data: { sms_id: 51, code: '30003', lead_id: 5, command_id: 'command-1' },
};
const delivered: SmsEvent = { type: 'SmsDelivered', data: { sms_id: 51 } };
const dropped: SmsEvent = { type: 'SmsDropped', data: { sms_id: 51 } };
const queued = given(sms, started);

const claim = (op: string) => ({ op, scope: 'sms-of-request', key: 'command-1', owner: 'sms-51' });
const checkIn = (afterMs: number) => [{ id: 'sms-check-51', due: { afterMs } }];
const report = (status: SmsReport['status']): SmsReport => ({
  sid: 'SM1',
  status,
  errorCode: status === 'failed' ? '30003' : null,
});

describe('an SMS', () => {
  test('is on record before it is handed over, with a check that outlives its sender', () =>
    expect(startSend(null, start)).toMatchObject({ events: [started], timers: checkIn(3_000) }));

  test('is not looked after while somebody is at it, up to its outcome', () => {
    for (const state of [null, queued])
      expect(smsChecks.renew(isAtWork(state), start)).toMatchObject({ events: [], timers: checkIn(3_000) });
    for (const outcome of [unknown, sent, refused, dropped])
      expect(smsChecks.renew(isAtWork(given(sms, started, outcome)), start)).toMatchObject({
        events: [],
        timers: [],
      });
  });

  test('that was dropped is not handed over, nor one that is on record', () => {
    expect(startSend(given(sms, dropped), start)).toMatchObject({ code: 'contended' });
    expect(startSend(queued, start)).toMatchObject({ code: 'contended' });
  });

  test('that was never on record is dropped first, and gives its money back when nobody can send it any more', () =>
    expect(drop(start)).toMatchObject({
      events: [dropped],
      claims: [claim('release')],
      timers: checkIn(0),
    }));

  test.each([
    ['nothing is on record of', null, [dropped], 0],
    ['whose intent is on record', queued, [{ type: 'SmsFailed', data: { sms_id: 51, code: null } }], 3_000],
  ])('%s is taken back by whoever has not handed it over', (_, state, events, checkedAfterMs) =>
    expect(takeBack(state, start)).toMatchObject({
      events,
      claims: [claim('release')],
      timers: checkIn(checkedAfterMs),
    }),
  );

  test('that was dropped meanwhile needs no taking back', () =>
    expect(takeBack(given(sms, dropped), start)).toMatchObject({ code: 'not_found' }));

  test('that the carrier took is answered by its id, and needs no check once it is paid', () => {
    const taken = { events: [sent], reply: { reference: '51' } };
    expect(recordSent(queued, 'SM1', 'charged')).toEqual({ ...taken, cancelTimers: ['sms-check-51'] });
    expect(recordSent(queued, 'SM1', 'open')).toMatchObject({ ...taken, timers: checkIn(3_000) });
    expect(recordSent(given(sms, started, unknown), 'SM1', 'charged')).toMatchObject(taken);
    expect(recordSent(given(sms, started, sent, delivered), 'SM1', 'charged')).toMatchObject({ events: [] });
  });

  test('that failed while it was being paid is looked at again at once, until the money is given back', () => {
    const failed = given(sms, started, sent, undeliverable);
    expect(recordSent(failed, 'SM1', 'charged')).toMatchObject({ events: [], timers: checkIn(0) });
    expect(recordSent(failed, 'SM1', 'refunded')).toMatchObject({ cancelTimers: ['sms-check-51'] });
  });

  test('that was refused lets the request be made again', () =>
    expect(recordRefused(queued, { code: '21211', reason: 'no' })).toMatchObject({
      events: [refused],
      claims: [claim('release')],
      timers: checkIn(3_000),
    }));

  test('whose outcome is unknown keeps its request, and its money for a day', () => {
    const decision = recordUnknown(queued, 'no answer');
    expect(decision).toMatchObject({ events: [unknown], timers: checkIn(86_400_000) });
    expect(decision).not.toHaveProperty('claims');
  });

  test('whose outcome is known is never unknown or refused again', () => {
    const known = given(sms, started, sent);
    expect(recordUnknown(known, 'no answer')).toMatchObject({ events: [] });
    expect(recordRefused(known, { code: null, reason: '' })).toMatchObject({ events: [] });
  });

  test('that was dropped has no outcome, whoever tells one', () => {
    const gone = given(sms, dropped);
    expect([
      recordSent(gone, 'SM1', 'open'),
      recordRefused(gone, { code: null, reason: '' }),
      recordUnknown(gone, ''),
    ]).toEqual([reject('not_found'), reject('not_found'), reject('not_found')]);
    expect(given(sms, dropped, sent)).toEqual(gone);
  });

  test('of a request without an id of its own takes no claim on it', () => {
    expect(drop({ ...start, command_id: null })).toMatchObject({ claims: [] });
  });

  test('is recognised by its reference, and nothing else is', () => {
    expect(smsOfReference(smsStream(51))).toBe(51);
    for (const other of [null, '', 'sms-0', 'sms-51x', 'message-51', 'sms-1e5'])
      expect(smsOfReference(other)).toBeNull();
  });
});

describe('what the carrier reports', () => {
  test.each([
    ['sent', [sent]],
    ['delivered', [sent, delivered]],
    ['failed', [sent, undeliverable]],
  ] as const)('as %s settles an SMS whose outcome was unknown', (status, events) =>
    expect(applyReport(given(sms, started, unknown), report(status))).toMatchObject({
      events,
      timers: checkIn(0),
    }),
  );

  test.each([
    ['sent', 3_000],
    ['delivered', 3_000],
    ['failed', 0],
  ] as const)(
    'as %s of an SMS that is being sent is looked after in %i ms: who sends it may be at it',
    (status, afterMs) =>
      expect(applyReport(queued, report(status))).toMatchObject({ timers: checkIn(afterMs) }),
  );

  test('as failed of an SMS that was paid has its money looked after; as delivered has not', () => {
    const paid = given(sms, started, sent);
    expect(applyReport(paid, report('failed'))).toMatchObject({
      events: [undeliverable],
      timers: checkIn(0),
    });
    expect(applyReport(paid, report('delivered'))).not.toHaveProperty('timers');
  });

  test('is passed over for another one of the same number, as from before a backup was restored', () => {
    const other = { ...report('failed'), sid: 'SM2' };
    expect(applyReport(given(sms, started, sent), other)).toMatchObject({ events: [] });
  });

  test('is passed over for what was dropped or never known', () => {
    expect(applyReport(null, report('sent'))).toMatchObject({ events: [] });
    expect(applyReport(given(sms, dropped), report('sent'))).toMatchObject({ events: [] });
  });

  test('leads to the same status in whatever order and however often it comes, never backwards', () => {
    const rank = ['queued', 'unknown', 'sent', 'failed', 'delivered'];
    const statusOf = (state: Sms) => (state?.phase === 'outgoing' ? state.status : 'queued');
    const reports = fc.array(fc.constantFrom('sent', 'failed', 'delivered'), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(reports, (reported) => {
        let state = queued;
        for (const status of reported) {
          const before = rank.indexOf(statusOf(state));
          const decision = applyReport(state, report(status));
          state = decision.events.reduce(sms.evolve, state);
          expect(rank.indexOf(statusOf(state))).toBeGreaterThanOrEqual(before);
        }
        const furthest = [...reported].sort((a, b) => rank.indexOf(b) - rank.indexOf(a))[0];
        expect(state).toMatchObject({ status: furthest, carrierSid: 'SM1' });
      }),
    );
  });
});

describe('a request that comes again', () => {
  test.each([
    ['is still running while its SMS is prepared', [], 'idempotency_in_progress'],
    ['is still running while its SMS is handed over', [started], 'idempotency_in_progress'],
    ['learns that the outcome is unknown, and does not send again', [started, unknown], 'send_failed'],
    ['learns that its SMS was refused', [started, refused], 'send_failed'],
  ])('%s', (_, events: readonly SmsEvent[], code) =>
    expect(answerRequest(given(sms, ...events))).toMatchObject({ code }),
  );

  test('is answered once the carrier is known to have taken the SMS, whatever became of it', () => {
    const answered = { events: [], reply: { reference: '51' } };
    expect(answerRequest(given(sms, started, unknown, sent))).toEqual(answered);
    expect(answerRequest(given(sms, started, sent, undeliverable))).toEqual(answered);
  });
});

test('an SMS has been sent once the carrier has taken it, unless it could not be delivered', () => {
  const isSentAfter = (...events: readonly SmsEvent[]) => isSent(given(sms, ...events));
  for (const events of [
    [],
    [dropped],
    [started],
    [started, unknown],
    [started, refused],
    [started, sent, undeliverable],
  ])
    expect(isSentAfter(...events)).toBe(false);
  for (const events of [
    [started, sent],
    [started, unknown, sent, delivered],
  ])
    expect(isSentAfter(...events)).toBe(true);
});
