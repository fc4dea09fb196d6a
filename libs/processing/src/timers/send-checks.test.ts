import { expect, test } from 'vitest';
import { leaseMs } from './lease.ts';
import { earlierSend, sendChecks, silenceMs } from './send-checks.ts';

const checks = sendChecks('letter');
const checked = { letter_id: 7, hold_id: 'h', command_id: 'c' };
const claim = { scope: 'letter-of-request', key: 'c', owner: 'letter-7' };
const check = (afterMs: number, ends_silence = false) => ({
  id: 'letter-check-7',
  kind: 'letter-check',
  due: { afterMs },
  payload: { letter_id: 7, hold_id: 'h', command_id: 'c', ends_silence },
});

test('what is sent is tied to its request and looked after, until it is taken back', () => {
  expect(checks.prepare(checked)).toMatchObject({
    events: [],
    claims: [{ op: 'take', ...claim }],
    timers: [check(leaseMs)],
  });
  expect(checks.abandon(checked)).toMatchObject({
    events: [],
    claims: [{ op: 'release', ...claim }],
    cancelTimers: ['letter-check-7'],
  });
  expect(checks.requestClaim('take', { ...checked, command_id: null })).toEqual([]);
});

test('its check is moved for as long as somebody is at work', () => {
  expect(checks.renew(true, checked)).toMatchObject({ events: [], timers: [check(leaseMs)] });
  expect(checks.renew(false, checked)).toMatchObject({ events: [], timers: [] });
});

test('a check knows whether it comes after the provider has had its time', () => {
  expect(checks.checkAfter(silenceMs, checked)).toEqual(check(24 * 60 * 60 * 1_000, true));
  expect(checks.checkAfter(0, checked)).toEqual(check(0));
});

test('a request that comes twice finds what it has caused', () => {
  const taken = { ...claim, kind: 'claim-taken', owner: 'letter-3' } as const;
  const rejection = checks.prepare(checked).onClaimTaken?.(taken) ?? { code: '' };
  expect(earlierSend({ kind: 'rejected', rejection })).toBe(3);
  expect(earlierSend({ kind: 'done', body: '{}', version: 0, position: 0, replayed: false })).toBeNull();
  expect(() => earlierSend({ kind: 'rejected', rejection: { code: 'not_found' } })).toThrow('not_found');
});
