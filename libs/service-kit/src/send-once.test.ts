import { reject } from '@parley/contracts';
import type { ExecuteResult } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import { beforeEach, describe, expect, test } from 'vitest';
import { AccountBalance } from './account-balance.ts';
import { type PaidSend, sendOnce } from './send-once.ts';

const sent: ExecuteResult = { kind: 'done', body: '{}', version: 1, position: 1, replayed: false };
const hold = { accountId: 3, holdId: 'hold-1', correlationId: 'request-1', causationId: 'command-1' };

/** What is done, in order. */
let steps: string[];
let answer: () => Promise<BusReply>;
beforeEach(() => {
  steps = [];
  answer = async () => ({ kind: 'ok', body: '{}' });
});

const noted =
  <T>(name: string, value: T) =>
  async () => {
    steps.push(name);
    return value;
  };

function send(overrides: Partial<PaidSend<object>> = {}): Promise<ExecuteResult> {
  const request = async () => {
    steps.push('release');
    return answer();
  };
  const means = {
    balance: new AccountBalance({ request, close: async () => undefined }, 'telephony'),
    closing: new AbortController().signal,
  };
  const steady: PaidSend<object> = {
    hold,
    refusedUnpaid: ['insufficient_balance'],
    prepare: noted('prepare', null),
    answer: async (id) => ({ kind: 'rejected', rejection: { code: `as-${id}` } }),
    renew: noted('renew', undefined),
    begin: noted('begin', {}),
    handOver: noted('hand over', sent),
    abandon: noted('abandon', undefined),
    takeBack: noted('take back', undefined),
  };
  return sendOnce({ ...steady, ...overrides }, means);
}

describe('what is sent once', () => {
  test('is prepared, begun and handed over', async () => {
    expect(await send()).toBe(sent);
    expect(steps).toEqual(['prepare', 'begin', 'hand over']);
  });

  test('is answered by what the same request has led to before', async () => {
    expect(await send({ prepare: async () => 7 })).toMatchObject({ rejection: { code: 'as-7' } });
    expect(steps).toEqual([]);
  });

  test('and is refused is as if it had never been asked for, without its money', async () => {
    const rejection = reject('contended');
    expect(await send({ begin: async () => rejection })).toEqual({ kind: 'rejected', rejection });
    expect(steps).toEqual(['prepare', 'release', 'abandon']);
  });

  test('gives nothing back where nothing was set aside', async () => {
    await send({ begin: async () => reject('insufficient_balance') });
    await send({ hold: null, begin: async () => reject('contended') });
    expect(steps).toEqual(['prepare', 'abandon', 'prepare', 'abandon']);
  });

  test('is taken back before its money is given back where accounts gives no answer', async () => {
    answer = async () => {
      answer = async () => ({ kind: 'ok', body: '{}' });
      return { kind: 'rejected', rejection: { code: 'unavailable' } };
    };
    await send({ begin: async () => reject('contended') });
    await expect.poll(() => steps).toEqual(['prepare', 'release', 'take back', 'release']);
  });

  test.each(['prepare', 'begin'] as const)(
    'is taken back when nobody knows what %s came to',
    async (step) => {
      const lost = async () => {
        throw new Error('no answer');
      };
      await expect(send({ [step]: lost })).rejects.toThrow('no answer');
      await expect.poll(() => steps.slice(-2)).toEqual(['take back', 'release']);
      expect(steps).not.toContain('hand over');
    },
  );
});
