import { expect, test } from 'vitest';
import { faultModes, planOf } from './fault.ts';

test('without a fault the provider just answers', () => {
  expect(planOf(null)).toEqual({ runsHandler: true, answer: 'handler' });
});

test.each(faultModes)('a %s that takes no effect leaves the provider as it was', (mode) => {
  expect(planOf({ mode, takesEffect: false }).runsHandler).toBe(false);
});

test.each(['error', 'timeout', 'reset', 'garbage'] as const)(
  'a %s that takes effect does the work and loses the answer',
  (mode) => {
    const plan = planOf({ mode, takesEffect: true });
    expect(plan.runsHandler).toBe(true);
    expect(plan.answer).not.toBe('handler');
  },
);

test('a rejection never takes effect', () => {
  expect(planOf({ mode: 'reject', takesEffect: true })).toEqual({ runsHandler: false, answer: 'rejection' });
});
