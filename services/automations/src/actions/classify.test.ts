import { type RejectionCode, rejections } from '@parley/contracts';
import { expect, test } from 'vitest';
import { settle } from '../run/advance/settle.ts';
import { working } from '../run/progress.fixture.ts';
import { failureOf } from './classify.ts';
import { failedStatus } from './http-outcomes.ts';

const classOf = (code: RejectionCode) => failureOf({ kind: 'rejected', rejection: { code } });

test('every "no" of the platform has one class; what has none of its own is a wiring error', () => {
  const codes = Object.keys(rejections) as RejectionCode[];
  const of = (wanted: string) => codes.filter((code) => classOf(code).class === wanted);
  expect(of('missing_connection')).toEqual(['sender_not_found', 'sender_offline', 'voice_disabled']);
  expect(of('missing_record')).toEqual(['not_found', 'template_not_found', 'voice_template_not_found']);
  expect(of('wiring_error')).toHaveLength(codes.length - 6);
  for (const code of codes) expect(classOf(code).code).toMatch(/^[A-Z_]+$/);
});

test('every "no" is told in words: its own, or those of its code', () => {
  expect(classOf('sender_offline')).toMatchObject({
    code: 'SENDER_OFFLINE',
    message: 'The sender is not online.',
  });
  const own = { code: 'send_failed', message: 'The recipient has blocked the sender.' };
  expect(failureOf({ kind: 'rejected', rejection: own }).message).toBe(own.message);
  expect(failureOf({ kind: 'rejected', rejection: { code: 'of_a_later_release' } }).message).toBe(
    'of_a_later_release',
  );
});

test('what passes by itself is tried again; an unknown outcome never is', () => {
  expect(classOf('unavailable')).toMatchObject({ transient: true, definite: true });
  const lacking = classOf('insufficient_balance');
  expect(lacking).toMatchObject({ transient: false, definite: true });
  expect(lacking).not.toHaveProperty('retryAfterSeconds');
  // It is there, and set aside for something else.
  const setAside = { code: 'insufficient_balance', retryAfterSeconds: 60 };
  expect(failureOf({ kind: 'rejected', rejection: setAside })).toMatchObject({
    transient: true,
    definite: true,
    retryAfterSeconds: 60,
    costsAttempt: true,
  });
  expect(failureOf({ kind: 'silence', code: 'timeout' })).toMatchObject({ transient: true, definite: false });
  for (const code of ['timeout', 'internal', 'idempotency_in_progress'] as const)
    expect(classOf(code)).toMatchObject({ transient: true, definite: false });
  const unknown = { code: 'send_failed', details: { outcome: 'unknown' } };
  expect(failureOf({ kind: 'rejected', rejection: unknown })).toMatchObject({
    code: 'OUTCOME_UNKNOWN',
    transient: false,
    definite: false,
  });
});

test('the status of a foreign answer decides its class and whether it is asked again', () => {
  const about = (status: number, isTemplated = false) => {
    const { class: of, transient } = failedStatus(status, {}, isTemplated);
    return [of, transient];
  };
  for (const status of [401, 403]) expect(about(status)).toEqual(['missing_connection', false]);
  for (const status of [404, 410]) {
    expect(about(status)).toEqual(['wiring_error', false]);
    expect(about(status, true)).toEqual(['missing_record', false]);
  }
  for (const status of [301, 400, 409, 422]) expect(about(status)).toEqual(['wiring_error', false]);
  for (const status of [408, 425, 429, 500, 503]) expect(about(status)).toEqual(['wiring_error', true]);
  expect(failedStatus(429, { 'retry-after': '30' }, false)).toMatchObject({
    retryAfterSeconds: 30,
    costsAttempt: true,
  });
  // As of a quota that is used up until the month ends.
  expect(failedStatus(429, { 'retry-after': '1209600' }, false)).toMatchObject({
    retryAfterSeconds: 1_209_600,
  });
});

test('a foreign answer that names a date to come back at is asked again no sooner, by the clock that it tells itself', () => {
  const wait = (date: string | undefined, retryAfter: string) =>
    failedStatus(503, { ...(date !== undefined && { date }), 'retry-after': retryAfter }, false)
      .retryAfterSeconds;
  expect(wait('Wed, 01 Jan 2020 00:00:00 GMT', 'Wed, 01 Jan 2020 00:10:00 GMT')).toBe(600);
  expect(wait('Wed, 01 Jan 2020 00:00:00 GMT', 'Tue, 31 Dec 2019 00:00:00 GMT')).toBe(1);
  expect(wait(undefined, 'Wed, 01 Jan 2020 00:10:00 GMT')).toBeUndefined();
  for (const none of ['soon', '', '-5', '1.5', 'Wed, 41 Jan 2020 00:10:00 GMT'])
    expect(wait('Wed, 01 Jan 2020 00:00:00 GMT', none)).toBeUndefined();
});

test('silence is a failure of the platform, and certain when the service was not there', () => {
  expect(failureOf({ kind: 'silence', code: 'unavailable' })).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    definite: true,
  });
});

test('a service that was not there, or lacks what it needs, is waited for at no cost of attempts', () => {
  const settled = (answer: Parameters<typeof failureOf>[0]) => {
    const { progress, step } = working({ attempts: 1 });
    settle(progress, step, failureOf(answer), 5);
    return progress.events.at(-1);
  };
  const refused = { kind: 'rejected', rejection: { code: 'unavailable', retryAfterSeconds: 1 } } as const;
  const lacking = { ...refused, rejection: { ...refused.rejection, isOutage: true } } as const;
  for (const answer of [{ kind: 'silence', code: 'unavailable' }, lacking] as const)
    expect(settled(answer)).toMatchObject({ type: 'StepRetryScheduled', data: { counts: false } });
  // Its database may have taken what was asked, and been lost then.
  expect(failureOf(lacking)).toMatchObject({ definite: false, patienceMs: 86_400_000 });
  // Too much is asked of it.
  expect(settled(refused)).toMatchObject({ type: 'RunFailed', data: { code: 'UNAVAILABLE' } });
  const silence = { kind: 'silence', code: 'timeout' } as const;
  expect(settled(silence)).toMatchObject({ type: 'RunFailed', data: { code: 'SERVICE_TIMEOUT' } });
});

test('a refused field that points at a record is a missing record, any other an invalid input', () => {
  const refused = (fields: Record<string, string[]>, wording?: Parameters<typeof failureOf>[1]) => {
    const { code, class: of } = failureOf(
      { kind: 'rejected', rejection: { code: 'invalid', fields } },
      wording,
    );
    return [code, of];
  };
  const recordFields = { label_ids: 'LABEL_NOT_FOUND' };
  expect(refused({ 'label_ids.0': ['x'] }, { recordFields })).toEqual(['LABEL_NOT_FOUND', 'missing_record']);
  expect(refused({ phone_number: ['x'] }, { recordFields })).toEqual(['INVALID_PHONE', 'wiring_error']);
  expect(refused({ name: ['x'] })).toEqual(['INVALID_INPUT', 'wiring_error']);
});

test('a number that is in the campaign already is a good number, and the words are those of the refusal alone', () => {
  const fields = { phone_number: ['The phone number is already in the campaign.'] };
  const about = (details: Record<string, unknown>) =>
    failureOf({ kind: 'rejected', rejection: { code: 'invalid', fields, details } });
  const message = 'The phone number is already in the campaign.';
  expect(about({ reason: 'number_taken' })).toMatchObject({
    code: 'NUMBER_TAKEN',
    class: 'wiring_error',
    message,
  });
  expect(about({})).toMatchObject({ code: 'INVALID_PHONE', message });
});
