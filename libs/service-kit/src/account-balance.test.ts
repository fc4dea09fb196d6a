import { randomUUID } from 'node:crypto';
import { type BusClient, type BusReply, RequestTimedOut, ServiceUnavailable } from '@parley/message-bus';
import { describe, expect, test } from 'vitest';
import { AccountBalance } from './account-balance.ts';

const silence = new RequestTimedOut('no answer');
const done: BusReply = { kind: 'ok', body: '{}' };
const refused = (code: string, more: object = {}): BusReply => ({
  kind: 'rejected',
  rejection: { code, ...more },
});

const hold = { accountId: 3, holdId: randomUUID(), correlationId: 'request-1', causationId: 'command-1' };

/** What comes of a reservation, and what accounts was asked for, by its answers in turn. */
async function reserve(...answers: readonly (BusReply | Error)[]) {
  const asked: string[] = [];
  const bus: BusClient = {
    async request({ subject }) {
      const answer = answers[asked.length] ?? done;
      asked.push(subject);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    close: async () => undefined,
  };
  const payment = { amountMicros: 100, description: 'A message', reference: 'message/1' };
  const outcome = await new AccountBalance(bus, 'telephony')
    .reserve(hold, payment)
    .catch((error: Error) => error);
  return { outcome, asked: asked.map((subject) => subject.split('.').at(-1)) };
}

describe('a reservation', () => {
  test('is made, or is not for want of money', async () => {
    expect(await reserve(done)).toEqual({ outcome: null, asked: ['reserve-balance'] });
    expect(await reserve(refused('insufficient_balance'))).toEqual({
      outcome: { code: 'insufficient_balance' },
      asked: ['reserve-balance'],
    });
    // The money is there, and set aside.
    const later = { retryAfterSeconds: 60 };
    expect((await reserve(refused('insufficient_balance', later))).outcome).toEqual({
      code: 'insufficient_balance',
      ...later,
    });
  });

  test.each(['unavailable', 'contended', 'internal'])(
    'that is answered %s is neither made nor refused',
    async (code) => {
      expect((await reserve(refused(code))).outcome).toBeInstanceOf(ServiceUnavailable);
    },
  );

  test.each(['invalid', 'idempotency_key_reuse'])('that is answered %s is a bug', async (code) => {
    const { outcome } = await reserve(refused(code));
    expect(outcome).toBeInstanceOf(Error);
    expect(outcome).not.toBeInstanceOf(ServiceUnavailable);
  });

  test('is asked for once more when there was no answer', async () => {
    expect(await reserve(silence)).toEqual({ outcome: null, asked: ['reserve-balance', 'reserve-balance'] });
    expect((await reserve(silence, silence)).outcome).toBe(silence);
  });

  test('that was refused after a try without an answer is not made by that try later', async () => {
    expect(await reserve(silence, refused('insufficient_balance'))).toEqual({
      outcome: { code: 'insufficient_balance' },
      asked: ['reserve-balance', 'reserve-balance', 'release-balance'],
    });
    const away = new ServiceUnavailable('away');
    expect((await reserve(silence, refused('insufficient_balance'), away)).outcome).toBe(away);
  });

  test('that was given back before it was made may be asked for again later', async () => {
    expect((await reserve(refused('hold_settled'))).outcome).toEqual({
      code: 'unavailable',
      retryAfterSeconds: 1,
    });
  });
});

describe('what is over already', () => {
  const moved = { available_micros: 0, reserved_micros: 0 };

  test.each([
    ['what was there', { kind: 'ok', body: JSON.stringify({ ...moved, amount_micros: 60 }) }, 60],
    ['all of it, where the answer is erased by now', { kind: 'ok', body: '' }, 100],
    ['all of it, where that was settled before', refused('hold_settled'), 100],
    ['nothing where nothing was reserved', refused('not_found'), null],
  ] satisfies [string, BusReply, number | null][])('costs %s', async (_, answer, paid) => {
    const bus: BusClient = { request: async () => answer, close: async () => undefined };
    expect(await new AccountBalance(bus, 'telephony').captureAtMost(hold, 100)).toBe(paid);
  });
});
