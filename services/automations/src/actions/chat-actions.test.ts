import { takeRateLimit } from '@parley/contracts';
import { expect, test } from 'vitest';
import { actionContext } from './action-context.fixture.ts';
import type { Answer, AskService } from './ask-service.ts';
import { requestPermission } from './chat-actions.ts';

const context = actionContext({ connection: { kind: 'chatapp_sender', id: '1', value: {} } });

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
