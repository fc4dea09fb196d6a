import { type MessageEvent, reject } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { idOfReference, isAtWork, isSent, message, newReferenceOf } from '../message.ts';
import { answerRequest } from './answer-request.ts';
import { dropMessage } from './drop-message.ts';
import { messageChecks } from './message-check.ts';
import { dropped, failed, queued, sent, start, started, undeliverable, unknown } from './outgoing.fixture.ts';
import { recordRefused, recordSent, recordUnknown } from './record-outcome.ts';
import { startSend } from './start-send.ts';
import { takeBack } from './take-back.ts';

describe('a message of ours', () => {
  test('is on record before it is handed over, with a check that outlives its sender', () =>
    expect(startSend(null, start)).toMatchObject({
      events: [started],
      timers: [{ id: 'message-check-31', due: { afterMs: 3_000 } }],
    }));

  test('is not looked after while somebody is at it, up to its outcome', () => {
    const check = { timers: [{ id: 'message-check-31', due: { afterMs: 3_000 } }] };
    for (const state of [null, queued])
      expect(messageChecks.renew(isAtWork(state), start)).toMatchObject({ events: [], ...check });
    for (const outcome of [unknown, sent, failed, dropped])
      expect(messageChecks.renew(isAtWork(given(message, started, outcome)), start)).toMatchObject({
        events: [],
        timers: [],
      });
  });

  test('that arrived, was dropped or never was has no outcome, whoever tells one', () => {
    const received = given(message, ...golden<MessageEvent>('MessageReceived.v1'));
    for (const state of [null, received, given(message, dropped)])
      expect([
        recordSent(state, 'wamid.1', 'open'),
        recordRefused(state, { code: null, reason: '' }),
        recordUnknown(state, ''),
      ]).toEqual([reject('not_found'), reject('not_found'), reject('not_found')]);
    expect(given(message, dropped, sent)).toEqual(given(message, dropped));
  });

  test('of a request without an id of its own takes no claim on it', () =>
    expect(dropMessage({ ...start, command_id: null })).toMatchObject({ claims: [] }));

  test.each([
    ['nothing is on record of', null, [dropped], 0],
    ['whose intent is on record', queued, [{ type: 'MessageFailed', data: { message_id: 31 } }], 3_000],
  ])('%s is taken back by whoever has not handed it over', (_, state, events, afterMs) =>
    expect(takeBack(state, start)).toMatchObject({
      events,
      claims: [{ op: 'release', key: 'command-1' }],
      timers: [{ id: 'message-check-31', due: { afterMs } }],
    }),
  );

  test('that was dropped meanwhile needs no taking back', () =>
    expect(takeBack(given(message, dropped), start)).toMatchObject({ code: 'not_found' }));

  test('that was never on record is dropped first, and gives its money back when nobody can send it any more', () =>
    expect(dropMessage(start)).toMatchObject({
      events: [dropped],
      claims: [{ op: 'release', key: 'command-1' }],
      timers: [{ id: 'message-check-31', due: { afterMs: 0 }, payload: { hold_id: 'hold-1' } }],
    }));

  test('is not handed over once it was dropped, and is dropped once more with what was taken for it since', () =>
    expect(startSend(given(message, dropped), start)).toEqual({
      events: [dropped],
      reply: { isStarted: false },
    }));

  test('is put on record once', () => expect(startSend(queued, start)).toMatchObject({ code: 'contended' }));

  test('that the platform took is answered with all its ids, and needs no check once it is paid', () =>
    expect(recordSent(queued, 'wamid.1', 'charged')).toEqual({
      events: [sent],
      cancelTimers: ['message-check-31'],
      reply: {
        success: true,
        conversation_id: 4,
        message_id: 31,
        chatapp_message_id: 27,
        message_sid: 'wamid.1',
        status: 'sent',
        conversation_uuid: start.conversation_uuid,
      },
    }));

  test('that is not paid yet keeps its check', () =>
    expect(recordSent(queued, 'wamid.1', 'open')).toMatchObject({ timers: [{ id: 'message-check-31' }] }));

  test('that failed while it was being paid is looked at again at once, until the money is given back', () => {
    const undelivered = given(message, started, sent, undeliverable);
    expect(recordSent(undelivered, 'wamid.1', 'charged')).toMatchObject({
      events: [],
      timers: [{ id: 'message-check-31', due: { afterMs: 0 } }],
      reply: { status: 'failed' },
    });
    expect(recordSent(undelivered, 'wamid.1', 'refunded')).toMatchObject({
      cancelTimers: ['message-check-31'],
    });
  });

  test('that the platform took is sent, also when it was unknown before', () =>
    expect(recordSent(given(message, started, unknown), 'wamid.1', 'charged')).toMatchObject({
      events: [sent],
    }));

  test('that a callback told of first is answered as it is by now', () => {
    const delivered = given(message, started, sent, {
      type: 'MessageDelivered',
      data: { message_id: 31, at: '2026-11-21T09:30:02.000Z' },
    });
    expect(recordSent(delivered, 'wamid.1', 'charged')).toMatchObject({
      events: [],
      reply: { status: 'delivered' },
    });
  });

  test('that was refused lets the request be made again', () =>
    expect(recordRefused(queued, { code: '1', reason: 'no' })).toMatchObject({
      events: [failed],
      claims: [{ op: 'release', scope: 'message-of-request', key: 'command-1', owner: 'message-31' }],
      timers: [{ id: 'message-check-31' }],
    }));

  test('whose outcome is unknown keeps its request, and its money for a day', () => {
    const decision = recordUnknown(queued, 'no answer');
    expect(decision).toMatchObject({
      events: [unknown],
      timers: [{ id: 'message-check-31', due: { afterMs: 86_400_000 } }],
    });
    expect(decision).not.toHaveProperty('claims');
  });

  test('whose outcome is known is never unknown again', () => {
    expect(recordUnknown(given(message, started, sent), 'no answer')).toMatchObject({ events: [] });
    expect(recordRefused(given(message, started, sent), { code: null, reason: '' })).toMatchObject({
      events: [],
    });
  });

  test('is recognised by its reference, and nothing else is', () => {
    expect(idOfReference(newReferenceOf(31))).toBe(31);
    expect(newReferenceOf(31)).not.toBe(newReferenceOf(31));
    expect(idOfReference('message-31')).toBe(31);
    for (const other of [null, '', 'message-0', 'message-31x', 'message-31-', 'permission-31', 'message-1e5'])
      expect(idOfReference(other)).toBeNull();
  });
});

describe('a request that comes again', () => {
  test.each([
    ['is still running while its message is prepared or handed over', [], 'idempotency_in_progress'],
    ['is still running while its message is handed over', [started], 'idempotency_in_progress'],
    ['learns that the outcome is unknown, and does not send again', [started, unknown], 'send_failed'],
    ['learns that its message failed', [started, failed], 'send_failed'],
  ])('%s', (_, events: readonly MessageEvent[], code) =>
    expect(answerRequest(given(message, ...events), 'content-1')).toMatchObject({ code }),
  );

  test('is answered once the platform is known to have taken the message', () =>
    expect(answerRequest(given(message, started, unknown, sent), 'content-1')).toMatchObject({
      reply: { message_sid: 'wamid.1', status: 'sent' },
    }));

  test('under an id that its caller did not choose is the same one for sure', () =>
    expect(answerRequest(given(message, started, sent), null)).toMatchObject({
      reply: { message_sid: 'wamid.1' },
    }));

  test('with other content is refused', () =>
    expect(answerRequest(queued, 'content-2')).toMatchObject({ code: 'idempotency_key_reuse' }));
});

test('a message has been sent once the platform has taken it, unless it could not be delivered', () => {
  const isSentAfter = (...events: readonly MessageEvent[]) => isSent(given(message, ...events));
  for (const events of [
    [],
    [dropped],
    [started],
    [started, unknown],
    [started, failed],
    [started, sent, undeliverable],
  ])
    expect(isSentAfter(...events)).toBe(false);
  for (const events of [
    [started, sent],
    [started, unknown, sent],
  ])
    expect(isSentAfter(...events)).toBe(true);
});
