import { randomUUID } from 'node:crypto';
import { takeRateLimit } from '@parley/contracts';
import { expect, test } from 'vitest';
import type { ActionContext } from './action.ts';
import type { Answer, AskService } from './ask-service.ts';
import { requestPermission } from './chat-actions.ts';

const context: ActionContext = {
  accountId: 1,
  automationId: 2,
  runId: randomUUID(),
  correlationId: randomUUID(),
  causationId: randomUUID(),
  chainDepth: 0,
  effectKey: randomUUID(),
  freshStarts: 0,
  connection: { kind: 'chatapp_sender', id: '1', value: {} },
  now: '2026-01-01T00:00:00.000Z',
  signal: new AbortController().signal,
};

const refused = (code: string): Answer => ({ kind: 'rejected', rejection: { code } });

test.each<[string, Answer, number | undefined]>([
  ['are away wait for them at no cost of attempts', { kind: 'silence', code: 'unavailable' }, 1],
  ['fail cost attempts, so that the run ends', refused('internal'), undefined],
  ['make no sense of the question cost attempts as well', refused('invalid'), undefined],
  ['give no answer in time cost attempts as well', { kind: 'silence', code: 'timeout' }, undefined],
])('limits that %s; nothing was sent', async (_, answer, retryAfterSeconds) => {
  const ask: AskService = async (message) => {
    if (message !== takeRateLimit) throw new Error('It is not sent before the limits allow it.');
    return answer;
  };
  const outcome = await requestPermission(ask).run({ recipient_phone: '+4915112345678' }, context);
  expect(outcome).toMatchObject({ ok: false, transient: true, definite: true });
  expect(Object(outcome).retryAfterSeconds).toBe(retryAfterSeconds);
});
