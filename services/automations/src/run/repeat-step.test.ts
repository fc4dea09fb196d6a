import { describe, expect, test } from 'vitest';
import { begun, busy, later, working } from './progress.fixture.ts';
import type { Progress } from './progress.ts';
import { takeOver, tryAgain } from './repeat-step.ts';
import { resume } from './resume.ts';
import { settle } from './settle.ts';

const hour = 3_600_000;

describe('an attempt', () => {
  test('is made again once its backoff is over, and at no other time', () => {
    const { progress, step, input } = working();
    expect(tryAgain(progress, step, input)).toBeUndefined();
    settle(progress, step, busy, 5);
    expect(progress.run.phase).toBe('backoff');
    expect(tryAgain(progress, { ...step, path: 'other' }, input)).toBeUndefined();
    expect(tryAgain(progress, step, input)).toEqual({ step, input });
    expect(progress.events.at(-1)).toMatchObject({ type: 'StepStarted', data: { attempt: 2, takeover: 0 } });
  });
});

describe('what a dead process worked on', () => {
  test('is taken over while it is under way, five times at most', () => {
    const { progress, step, input } = working();
    expect(takeOver(progress, { ...step, path: 'other' }, input)).toBeUndefined();
    for (let times = 1; times <= 5; times += 1)
      expect(takeOver(progress, step, input)).toEqual({ step, input });
    expect(progress.events.at(-1)).toMatchObject({ type: 'StepStarted', data: { attempt: 1, takeover: 5 } });
    expect(takeOver(progress, step, input)).toBeUndefined();
    expect(progress.events.slice(-2)).toMatchObject([
      {
        type: 'StepFailed',
        data: {
          code: 'TAKEOVERS_EXHAUSTED',
          class: 'wiring_error',
          message: '6 processes have died while working on this step.',
          definite: false,
        },
      },
      { type: 'RunFailed', data: { code: 'TAKEOVERS_EXHAUSTED' } },
    ]);
    expect(takeOver(progress, step, input)).toBeUndefined();
  });

  test('is not done twice where nobody knows whether it was done, unless the automation says so', () => {
    const unkeyed = working({ effect: 'unkeyed' });
    expect(takeOver(unkeyed.progress, unkeyed.step, unkeyed.input)).toBeUndefined();
    expect(unkeyed.progress.events.slice(-2)).toMatchObject([
      {
        type: 'StepFailed',
        data: {
          code: 'OUTCOME_UNKNOWN',
          class: 'wiring_error',
          message: 'The process that did this step died on the way; nobody knows whether it was done.',
          definite: false,
        },
      },
      { type: 'RunFailed', data: { code: 'OUTCOME_UNKNOWN' } },
    ]);
    const repeated = working({ effect: 'unkeyed', onUnknown: 'repeat' });
    expect(takeOver(repeated.progress, repeated.step, repeated.input)).toBeDefined();
  });
});

describe('a delay', () => {
  const waiting = () => begun({ kind: 'delay', id: 'wait', for: 'PT1H' }).progress;
  const resumed = (progress: Progress, gen: number) => {
    resume(progress, gen);
    return progress.events.map(({ type }) => type);
  };

  test('ends when its own timer is due, not before, and not by the timer of another', () => {
    expect(resumed(later(waiting(), hour - 1), 1)).toEqual([]);
    expect(resumed(later(waiting(), hour), 2)).toEqual([]);
    expect(resumed(later(waiting(), hour), 1)).toEqual(['RunResumed', 'StepSucceeded']);
  });

  test('of a run that does not wait has no end', () =>
    expect(resumed(later(working().progress, hour), 1)).toEqual([]));
});
