import type { CallPermissionEvent } from '@parley/contracts';
import { describe, expect, test } from 'vitest';
import { startAsk } from './asking.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { ask, circumstances, contact, day, figures, hour, iso, start, terms } from './permission.fixture.ts';
import { judge, refusalOf } from './rules.ts';
import { termsOf } from './terms.ts';

const wrote = contactWrote(contact, 'm1', iso(start - hour));
const fresh = circumstances(start, [wrote]);
const begun = startAsk(fresh, ask('a'));
const asked: readonly CallPermissionEvent[] = 'events' in begun ? [wrote, ...begun.events] : [];
const accepted = (expiresAt: number | null): readonly CallPermissionEvent[] => {
  const until = { isPermanent: expiresAt === null, expiresAt: expiresAt === null ? null : iso(expiresAt) };
  return [
    wrote,
    recordReply(fresh.state, contact, { replyId: 'r', at: iso(start), response: 'accept', ...until }, terms),
  ];
};

/** By rule, when time alone turns it. */
const flips = (history: readonly CallPermissionEvent[], now = start) =>
  Object.fromEntries(judge(circumstances(now, history)).map(({ rule, flipsAt }) => [rule, flipsAt]));

describe('an ask is refused in words, by the first rule that stands against it:', () => {
  test.each([
    [
      'calling is off',
      circumstances(start, [], { sender: { isCallingEnabled: false, country: 'US' }, template: null }),
      { code: 'voice_disabled', message: 'Calling is not enabled on the sender.' },
    ],
    [
      'the country of the sender',
      circumstances(start, [], { sender: { isCallingEnabled: true, country: 'US' }, template: null }),
      {
        code: 'region_not_supported',
        message: 'Business-initiated calls are not allowed from the country of the sender (US).',
      },
    ],
    [
      'no template',
      circumstances(start, [], { template: null }),
      {
        code: 'voice_template_not_found',
        message: 'The sender has no approved voice call request template.',
      },
    ],
    [
      'a template with more in it than text',
      circumstances(start, [wrote], { template: { wants: ['header_image_link', 'carousel'] } }),
      {
        code: 'voice_template_not_found',
        message:
          'The approved voice call request template cannot be sent from here: it wants header_image_link, carousel.',
      },
    ],
    [
      'no session',
      circumstances(start, []),
      { code: 'session_closed', message: 'The customer has not messaged in the last 24 hours.' },
    ],
    [
      'no session, by the hours that the operator has set',
      circumstances(start, [], { terms: termsOf({ ...figures, CALL_PERMISSION_SESSION_HOURS: 48 }) }),
      { code: 'session_closed', message: 'The customer has not messaged in the last 48 hours.' },
    ],
    [
      'asked today',
      circumstances(start + hour, asked),
      {
        code: 'request_limit',
        message: 'The customer was asked 1 of at most 1 times within 24h, or since the last connected call.',
        details: { reason: 'already_asked_24h', retry_at: '2026-11-22T10:00:00+00:00' },
      },
    ],
    [
      'granted for a time',
      circumstances(start, accepted(start + 2 * day)),
      {
        code: 'request_limit',
        message: 'The customer has already granted permission to call.',
        details: { reason: 'already_granted', retry_at: '2026-11-23T10:00:00+00:00' },
      },
    ],
    [
      'granted for good',
      circumstances(start, accepted(null)),
      {
        code: 'request_limit',
        message: 'The customer has already granted permission to call.',
        details: { reason: 'already_granted', retry_at: null },
      },
    ],
  ])('%s', (_, about, refusal) => expect(refusalOf(about, 'request')).toEqual(refusal));
});

test('an ask that nothing stands against is not refused, whether the country of the sender is known or not', () => {
  const unknownCountry = { sender: { isCallingEnabled: true, country: undefined } };
  expect(refusalOf(fresh, 'request')).toBeNull();
  expect(refusalOf(circumstances(start, [wrote], unknownCountry), 'request')).toBeNull();
});

test('a call is refused without a permission, and only then', () => {
  const refusal = { code: 'call_not_permitted', message: 'The customer does not allow calls.' };
  expect(refusalOf(fresh, 'call')).toEqual(refusal);
  expect(refusalOf(circumstances(start + day, accepted(start + day)), 'call')).toEqual(refusal);
  expect(refusalOf(circumstances(start, accepted(start + day)), 'call')).toBeNull();
});

test('each rule that is kept says so', () => {
  expect(judge(fresh).map(({ rule, explanation }) => [rule, explanation])).toEqual([
    ['voice_enabled', 'Calling is enabled on the sender.'],
    ['region', 'Business-initiated calls are allowed from the country of the sender.'],
    ['template', 'There is an approved voice call request template.'],
    ['session', 'The customer has messaged in the last 24 hours.'],
    ['not_granted_yet', 'The customer does not allow calls yet.'],
    [
      'asked_24h',
      'The customer was asked 0 of at most 1 times within 24h, or since the last connected call.',
    ],
    [
      'weekly_cap',
      'The customer was asked 0 of at most 2 times within 7d, or since the last connected call.',
    ],
    ['granted', 'The customer does not allow calls.'],
  ]);
  const allowed = judge(circumstances(start, accepted(null))).find(({ rule }) => rule === 'granted');
  expect(allowed?.explanation).toBe('The customer allows calls.');
});

test('what is granted for a time turns by itself, what is granted for good or over does not', () => {
  const until = start + 2 * day;
  expect(flips(accepted(until))).toMatchObject({ not_granted_yet: until, granted: until });
  expect(flips(accepted(until), until)).toMatchObject({ not_granted_yet: null, granted: null });
  expect(flips(accepted(null))).toMatchObject({ not_granted_yet: null, granted: null });
});
