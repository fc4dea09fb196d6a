import type { RunEvent } from '@parley/contracts';
import { golden } from '@parley/testing';
import { describe, expect, test } from 'vitest';
import { begun, busy, later, working } from '../progress.fixture.ts';
import type { Progress } from '../progress.ts';
import { startRetry } from '../retry/retry.ts';
import { advance } from './advance.ts';
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

describe('a retry', () => {
  const refused = { ...busy, transient: false };
  const unknown = { ...refused, definite: false };

  test.each([
    ['nothing but refusals', [refused], 1],
    ['an attempt nobody knows the outcome of', [unknown], 0],
    ['an attempt that failed for now, and a refusal', [busy, refused], 0],
  ])('after %s is a fresh start, or none', (_name, outcomes, freshStarts) => {
    const { progress, definition, step, input } = working({ effect: 'unkeyed' });
    for (const outcome of outcomes) {
      settle(progress, step, outcome, 5);
      tryAgain(progress, step, input);
    }
    startRetry(progress, step.path, definition, null);
    expect(progress.run.steps.get(step.path)?.freshStarts).toBe(freshStarts);
  });

  test('after a takeover and a refusal asks for the same as before', () => {
    const { progress, definition, step, input } = working({ effect: 'unkeyed', onUnknown: 'repeat' });
    takeOver(progress, step, input);
    settle(progress, step, refused, 5);
    startRetry(progress, step.path, definition, null);
    expect(progress.run.steps.get(step.path)?.freshStarts).toBe(0);
  });

  test('starts afresh each time, until an outcome is unknown', () => {
    const { progress, definition, step } = working({ effect: 'unkeyed' });
    const counts = [refused, refused, unknown, refused].map((outcome) => {
      settle(progress, step, outcome, 5);
      startRetry(progress, step.path, definition, null);
      advance(progress, definition);
      return progress.run.steps.get(step.path)?.freshStarts;
    });
    expect(counts).toEqual([1, 2, 2, 2]);
  });

  test('of a release that asked for the same after refusals, too, is no fresh start', () => {
    const { progress, step } = working({ effect: 'unkeyed' });
    settle(progress, step, refused, 5);
    const [retried] = golden<Extract<RunEvent, { type: 'RunRetried' }>>('RunRetried.v1');
    if (!retried) throw new Error('The golden file holds it.');
    progress.add({ ...retried, data: { ...retried.data, from_step: step.path } });
    expect(progress.run.steps.get(step.path)?.freshStarts).toBe(0);
  });
});
