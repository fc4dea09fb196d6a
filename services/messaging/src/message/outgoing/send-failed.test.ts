import { expect, test } from 'vitest';
import { sendFailed } from './send-failed.ts';

test('a platform that could not be reached is asked again soon, one that said no is not', () => {
  expect(sendFailed('unavailable', { code: null, reason: 'no answer' })).toEqual({
    code: 'unavailable',
    retryAfterSeconds: 5,
  });
  expect(sendFailed('rejected', { code: '131026', reason: 'not on the platform' })).toMatchObject({
    code: 'send_failed',
    message: 'The chat platform rejected the message: not on the platform',
    details: { outcome: 'not_sent', provider_code: '131026' },
  });
});
