import { expect, test } from 'vitest';
import { nextStep } from './backoff.ts';

test('any 2xx is a delivery', () => {
  expect(nextStep(1, 204)).toEqual({ kind: 'delivered' });
});

test('a gateway that is down or fails is tried again, ever more slowly, up to every two seconds', () => {
  expect(nextStep(1, null)).toEqual({ kind: 'retry', delayMs: 250 });
  expect(nextStep(3, 500)).toEqual({ kind: 'retry', delayMs: 1000 });
  expect(nextStep(500, 503)).toEqual({ kind: 'retry', delayMs: 2_000 });
});

test('a hook that does not exist is dropped after a few tries', () => {
  expect(nextStep(3, 404).kind).toBe('retry');
  expect(nextStep(4, 404)).toEqual({ kind: 'dropped' });
});
