import type { LeadEvent, MessageUndeliverableEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { lead, leadStream } from '../../lead/lead.ts';
import { commandIdOf } from '../attempt/attempt-command.ts';
import { messageUnsent } from './unsent-message.ts';

const [undeliverable] = golden<MessageUndeliverableEvent>('MessageUndeliverable.v2');
const [ended] = golden<Extract<LeadEvent, { type: 'LeadAttemptEnded' }>>('LeadAttemptEnded.v1');
if (!undeliverable || !ended) throw new Error('The golden files hold them.');
const now = new Date('2026-11-21T20:00:00.000Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

const completed: LeadEvent = { ...ended, data: { ...ended.data, outcome: 'completed', next: null } };
const handedOver = given(
  lead,
  ...golden<LeadEvent>('LeadCreated.v1', 'LeadQueued.v1', 'LeadAttemptStarted.v1'),
  completed,
);
if (!handedOver) throw new Error('It is there.');
const told = undeliverable.data.reason;
const after = (code: string | null, { attempts = handedOver.attempts, attempt = 0, reason = told } = {}) =>
  messageUnsent(
    { ...handedOver, attempts },
    { ...undeliverable.data, code, reason },
    commandIdOf(leadStream(handedOver.id), attempt || attempts),
    now,
  );

test.each([
  ['its account is unpaid', '131042', 15],
  ['its account is restricted', '368', 15],
  ['its number may send no more for now', '131048', 15],
  ['its template is paused', '132015', 15],
  ['too much was sent at once', '130429', 1],
  ['its application asked too often', '4', 1],
  ['its account asked too often', '80007', 1],
  ['the platform was overloaded', '131016', 1],
  ['its account was in maintenance', '131057', 1],
])(
  'a message that the chat platform took and did not send, as %s, gives its lead back (%s)',
  (_, code, minutes) => {
    const due_at = inMinutes(minutes).toISOString();
    expect(after(code)).toMatchObject([
      { type: 'LeadAttemptWithdrawn', data: { attempt: 2, due_at, is_outcome_unknown: false } },
    ]);
  },
);

test('the lead says in the platform’s words why its message was not sent, of which the end may be cut off', () => {
  const reasonOf = (reason: string) => after('131042', { reason })[0]?.data;
  const said = 'The chat platform did not send the message: ';
  expect(reasonOf('It is unpaid.')).toMatchObject({ reason: `${said}It is unpaid.` });
  const rest = 'x'.repeat(499 - said.length);
  expect(reasonOf(`${rest}🙂`)).toMatchObject({ reason: `${said}${rest}\ufffd` });
});

test('one of too many to the same person at once holds its campaign up no longer than that person has to wait', () => {
  const due_at = new Date(now.getTime() + 10_000).toISOString();
  expect(after('131056')).toMatchObject([{ type: 'LeadAttemptWithdrawn', data: { due_at } }]);
});

test.each([
  ['its picture could not be fetched', '131053', 60],
  ['its account may write to nobody of that country', '130497', 10],
])(
  'one that was not sent as %s, which may be about all leads or this one, gives it back once',
  (_, code, seconds) => {
    const due_at = new Date(now.getTime() + seconds * 1_000).toISOString();
    expect(after(code, { attempts: 1 })).toMatchObject([
      { type: 'LeadAttemptWithdrawn', data: { attempt: 1, due_at } },
    ]);
    expect(after(code)).toEqual([]);
  },
);

test.each([
  ['cannot be reached', '131026'],
  ['has had enough marketing for now', '131049'],
  ['wants no marketing any more', '131050'],
  ['is told of without a reason', null],
])('a message to somebody who %s does not (%s)', (_, code) => expect(after(code)).toEqual([]));

test('nor does one of an earlier attempt', () => expect(after('131042', { attempt: 1 })).toEqual([]));
