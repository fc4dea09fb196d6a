import type { CallPermissionEvent } from '@parley/contracts';
import { given, golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { callPermission } from './call-permission.ts';
import { describePermissionEvent } from './describe.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { circumstances, contact, day, hour, iso, start, terms } from './permission.fixture.ts';
import { renderLimits, renderPermission, showPermission } from './render.ts';

const shownAfter = (...events: CallPermissionEvent[]) => showPermission(given(callPermission, ...events));
const [started, requested, called] = golden<CallPermissionEvent>(
  'CallPermissionAskStarted.v1',
  'CallPermissionRequested.v1',
  'ContactVoiceCallEnded.v1',
);
const reply = (response: 'accept' | 'reject' | 'revoke', at: number): CallPermissionEvent =>
  recordReply(
    given(callPermission),
    contact,
    { replyId: 'r', at: iso(at), response, isPermanent: false, expiresAt: null },
    terms,
  );
const askAt = (id: string, at: number): CallPermissionEvent => {
  if (started?.type !== 'CallPermissionAskStarted') throw new Error('Another golden file.');
  return { ...started, data: { ...started.data, ask_id: id, at: iso(at) } };
};

test('a permission is shown by the API’s names, and nothing else', () => {
  const wrote = contactWrote(contact, 'm1', iso(start));
  const history = [started, requested, wrote, called].flatMap((event) => event ?? []);
  expect(shownAfter(...history)).toEqual({
    status: 'pending',
    expires_at: null,
    requested_at: expect.stringMatching(/\+00:00$/),
    answered_at: null,
    last_message_at: '2026-11-21T10:00:00+00:00',
    connected_call_at: expect.stringMatching(/\+00:00$/),
    requests: [
      {
        status: 'sent',
        requested_at: expect.stringMatching(/\+00:00$/),
        message_sid: expect.stringMatching(/^wamid\./),
      },
    ],
  });
});

test('nothing was asked and nothing said before the first word', () => {
  expect(shownAfter()).toMatchObject({ status: null, requested_at: null, answered_at: null, requests: [] });
});

test('the status is that of the last word', () => {
  const first = askAt('a', start);
  const granted = reply('accept', start + 1_000);
  expect(shownAfter(first, granted)).toMatchObject({
    status: 'granted',
    answered_at: '2026-11-21T10:00:01+00:00',
    expires_at: expect.stringMatching(/\+00:00$/),
  });
  expect(shownAfter(first, granted, askAt('b', start + 30 * day))).toMatchObject({
    status: 'pending',
    expires_at: null,
  });
  expect(shownAfter(first, reply('reject', start + 1_000))).toMatchObject({ status: 'rejected' });
  expect(shownAfter(first, granted, reply('revoke', start + 2_000))).toMatchObject({ status: 'revoked' });
});

test('a permission that the customer gave for good has no end', () => {
  const answer = { replyId: 'r', at: iso(start), response: 'accept', expiresAt: iso(start + day) } as const;
  const granted = recordReply(given(callPermission), contact, { ...answer, isPermanent: true }, terms);
  expect(granted).toMatchObject({ data: { validity: { kind: 'permanent' } } });
  expect(shownAfter(granted)).toMatchObject({ status: 'granted', expires_at: null });
});

test('a reply that was given before the one that is known is on record, and changes nothing', () => {
  const known = given(callPermission, reply('accept', start));
  const earlier = { replyId: 'e', at: iso(start - 1), response: 'revoke', isPermanent: false } as const;
  const outdated = recordReply(known, contact, { ...earlier, expiresAt: null }, terms);
  expect(outdated).toMatchObject({
    type: 'CallPermissionReplyOutdated',
    data: { reply_id: 'e', at: earlier.at, response: 'revoke' },
  });
  expect(callPermission.evolve(known, outdated)).toBe(known);
});

test('the newest ask is the one that is shown, and a limit is over when the oldest that counts leaves its window', () => {
  const asks = [0, 1, 2].map((days) => askAt(`${days}`, start + days * day));
  const about = circumstances(start + 2 * day + hour, asks);
  expect(renderPermission(contact, null, about).requested_at).toBe('2026-11-23T10:00:00+00:00');
  expect(renderLimits(about).limits).toMatchObject([
    { window: '24h', used: 1, resets_at: '2026-11-24T10:00:00+00:00' },
    { window: '7d', used: 3, resets_at: '2026-11-28T10:00:00+00:00' },
  ]);
});

test('why a customer was not asked, or may have been, can be read in the history', () => {
  const events = golden<CallPermissionEvent>('CallPermissionAskFailed.v1', 'CallPermissionAskUncertain.v1');
  expect(events.map((event) => describePermissionEvent(recorded(event)))).toEqual([
    'The customer was not asked, as far as is known; it counts against no limit. [138000] Calling not enabled',
    'The customer may have been asked; it counts against the limits and is not asked again. The chat platform did not answer in time.',
  ]);
});

test('what failed without a code of the platform’s says why, and a question says nothing more', () => {
  const [failed] = golden<CallPermissionEvent>('CallPermissionAskFailed.v1');
  if (failed?.type !== 'CallPermissionAskFailed' || !started) throw new Error('Other golden files.');
  const withoutCode = recorded({ ...failed, data: { ...failed.data, code: null } });
  expect(describePermissionEvent(withoutCode)).toMatch(/no limit\. Calling not enabled$/);
  expect(describePermissionEvent(recorded(started))).toBeUndefined();
});
