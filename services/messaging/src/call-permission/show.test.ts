import type { CallPermissionEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { callPermission } from './call-permission.ts';
import { contactWrote, recordReply } from './happenings.ts';
import { contact, day, iso, start, terms } from './permission.fixture.ts';
import { showPermission } from './render.ts';

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
