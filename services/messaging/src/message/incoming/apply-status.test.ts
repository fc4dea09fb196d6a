import type { MessageEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { message } from '../message.ts';
import { dropped, queued, sent, start, started, unknown } from '../outgoing/outgoing.fixture.ts';
import { applyStatus, type ReportedStatus } from './apply-status.ts';

const report = (status: ReportedStatus['status']): ReportedStatus => ({
  status,
  senderId: start.sender_id,
  reference: start.reference,
  messageSid: 'wamid.1',
  at: '2026-11-21T09:30:02.000Z',
  error: null,
  causeId: 'event-1',
});

describe('what the platform reports', () => {
  test.each([
    ['sent', [sent]],
    ['delivered', [sent, { type: 'MessageDelivered' }]],
    ['read', [sent, { type: 'MessageRead' }]],
    ['failed', [sent, { type: 'MessageUndeliverable' }]],
  ] as const)('as %s settles a message whose outcome was unknown', (status, events) =>
    expect(applyStatus(given(message, started, unknown), report(status))).toMatchObject({
      events,
      timers: [{ id: 'message-check-31', due: { afterMs: 0 } }],
    }),
  );

  test('of a message that is being handed over leaves its sender the time to pay for it, unless it failed', () => {
    for (const status of ['sent', 'delivered', 'read'] as const)
      expect(applyStatus(queued, report(status))).toMatchObject({
        timers: [{ id: 'message-check-31', due: { afterMs: 3_000 } }],
      });
    expect(applyStatus(queued, report('failed'))).toMatchObject({
      timers: [{ id: 'message-check-31', due: { afterMs: 0 } }],
    });
  });

  test('as failed of a message that was paid has its money looked after', () => {
    expect(applyStatus(given(message, started, sent), report('failed'))).toMatchObject({
      events: [{ type: 'MessageUndeliverable', data: { cause_id: 'event-1' } }],
      timers: [{ id: 'message-check-31', due: { afterMs: 0 } }],
    });
    expect(applyStatus(given(message, started, sent), report('delivered'))).not.toHaveProperty('timers');
  });

  test('is passed over for what was dropped, received or never known', () => {
    expect(applyStatus(null, report('sent'))).toMatchObject({ code: 'not_found' });
    expect(applyStatus(given(message, dropped), report('sent'))).toMatchObject({ code: 'not_found' });
  });

  test.each([
    ['another message of the platform', { messageSid: 'wamid.2' }],
    ['a message of another sender', { senderId: 3 }],
    ['a message that was given the number by another log', { reference: 'message-31-f5e4d3c2b1a0' }],
  ])('of %s is passed over', (_, of) => {
    for (const status of ['sent', 'delivered', 'read', 'failed'] as const)
      expect(applyStatus(given(message, started, sent), { ...report(status), ...of })).toEqual({
        events: [],
        reply: '{}',
      });
  });

  test('of a message from before references had a random end is still about it', () => {
    const [old] = golden<MessageEvent>('MessageSendStarted.v1');
    const reported = { ...report('delivered'), reference: 'message-31' };
    expect(applyStatus(given(message, ...(old ? [old] : []), sent), reported)).toMatchObject({
      events: [{ type: 'MessageDelivered' }],
    });
  });

  test('leads to the same status in whatever order and however often it comes, never backwards', () => {
    const rank = ['queued', 'unknown', 'sent', 'failed', 'delivered', 'read'];
    const statuses = fc.array(fc.constantFrom('sent', 'failed', 'delivered', 'read'), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(statuses, (reported) => {
        let state = queued;
        for (const status of reported) {
          const before = state?.direction === 'outbound' ? state.status : 'queued';
          const decision = applyStatus(state, report(status));
          if ('code' in decision) throw new Error(decision.code);
          state = decision.events.reduce(message.evolve, state);
          const after = state?.direction === 'outbound' ? state.status : 'queued';
          expect(rank.indexOf(after)).toBeGreaterThanOrEqual(rank.indexOf(before));
        }
        const furthest = [...reported].sort((a, b) => rank.indexOf(b) - rank.indexOf(a))[0];
        expect(state).toMatchObject({ status: furthest, messageSid: 'wamid.1' });
      }),
    );
  });
});
