import { describe, expect, test } from 'vitest';
import { busy, later, working } from '../progress.fixture.ts';
import { turnMs } from '../retry/backoff.ts';
import { advance } from './advance.ts';
import { payloadBytes } from './limits.ts';
import { tryAgain } from './repeat-step.ts';
import { settle } from './settle.ts';

describe('a step that was done', () => {
  test('keeps its output, how long it took, and what the other side calls it', () => {
    const { progress, step } = working();
    settle(progress, step, { ok: true, output: { a: 1 }, providerRef: 'SM1' }, 5.4);
    expect(progress.events.at(-1)).toMatchObject({
      type: 'StepSucceeded',
      data: { step: 'a', path: 'a', output_ref: 'ref', output_bytes: 7, ms: 5, provider_ref: 'SM1' },
    });
  });

  test('needs no name from the other side', () => {
    const { progress, step } = working();
    settle(progress, step, { ok: true, output: {} }, 5);
    expect(progress.events.at(-1)).toMatchObject({ data: { provider_ref: null } });
  });

  test('has an output of 256 KB at most, and fails as one that may have been done', () => {
    const quotes = 2;
    const most = working();
    settle(most.progress, most.step, { ok: true, output: 'x'.repeat(payloadBytes - quotes) }, 5);
    expect(most.progress.events.at(-1)).toMatchObject({ type: 'StepSucceeded' });
    const more = working();
    settle(more.progress, more.step, { ok: true, output: 'x'.repeat(payloadBytes - quotes + 1) }, 5);
    expect(more.progress.events.slice(-2)).toMatchObject([
      {
        type: 'StepFailed',
        data: {
          code: 'LIMIT_STEP_BYTES',
          message: 'The output of a step is at most 256 KB.',
          definite: false,
          ms: 5,
        },
      },
      { type: 'RunFailed' },
    ]);
  });
});

describe('a step that was not done', () => {
  const schedule = (outcome: Parameters<typeof settle>[2], attempts = 2) => {
    const { progress, step } = working({ attempts });
    settle(progress, step, outcome, 5.4);
    return progress.events.at(-1);
  };

  test('is tried again after its backoff when the trouble may pass', () =>
    expect(schedule(busy)).toEqual({
      type: 'StepRetryScheduled',
      data: {
        step: 'a',
        path: 'a',
        attempt: 1,
        counts: true,
        code: 'BUSY',
        message: '',
        after_ms: 1_600,
        ms: 5,
        at: expect.any(String),
      },
    }));

  test.each([true, false])(
    'fails at once when it may not, and says whether that is certain: %s',
    (definite) => {
      const { progress, step } = working();
      settle(progress, step, { ...busy, transient: false, definite, message: 'Gone.' }, 5.4);
      expect(progress.events.slice(-2)).toMatchObject([
        { type: 'StepFailed', data: { code: 'BUSY', message: 'Gone.', definite, attempts: 1, ms: 5 } },
        { type: 'RunFailed', data: { code: 'BUSY' } },
      ]);
    },
  );

  test('fails with the last of its attempts', () => {
    const { progress, step, input } = working({ attempts: 2 });
    settle(progress, step, busy, 5);
    tryAgain(progress, step, input);
    settle(progress, step, busy, 5);
    expect(progress.events.at(-2)).toMatchObject({
      type: 'StepFailed',
      data: { attempts: 2, definite: true },
    });
    expect(schedule(busy, 1)).toMatchObject({ type: 'RunFailed' });
  });

  test('waits for its turn where a limit is used up, and pays no attempt unless it says so', () => {
    const full = { ...busy, retryAfterSeconds: 3 };
    const { progress, step, input } = working({ attempts: 1 });
    for (const attempt of [1, 2, 3]) {
      settle(progress, step, full, 5);
      expect(progress.events.at(-1)).toMatchObject({
        type: 'StepRetryScheduled',
        data: { attempt, counts: false, after_ms: turnMs(attempt, 0, 3) },
      });
      tryAgain(progress, step, input);
    }
    expect(schedule({ ...full, costsAttempt: true })).toMatchObject({
      data: { counts: true, after_ms: 3_000 },
    });
    expect(schedule({ ...full, costsAttempt: true }, 1)).toMatchObject({ type: 'RunFailed' });
  });

  const hour = 3_600_000;
  const day = 24 * hour;
  /** What comes of such outcomes, each so long after the start of the run: the type of the last event. */
  const inTime = (...told: readonly (readonly [ms: number, outcome: object])[]) => {
    const { progress, step, input } = working();
    let now = progress;
    for (const [ms, outcome] of told) {
      now = later(now, ms);
      tryAgain(now, step, input);
      settle(now, step, { ...busy, retryAfterSeconds: 5, ...outcome }, 5);
    }
    return now.events.at(-1);
  };
  const sealed = { code: 'CONNECTION_SEALED', patienceMs: day };
  const waits = { type: 'StepRetryScheduled' };

  test('waits no longer for what may be gone for good than that says, and fails as what it waited for', () => {
    expect(inTime([hour, sealed], [hour + day - 1, sealed])).toMatchObject(waits);
    expect(inTime([hour, sealed], [day, sealed], [hour + day, sealed])).toMatchObject({
      type: 'RunFailed',
      data: { code: 'CONNECTION_SEALED' },
    });
    expect(inTime([0, {}], [30 * day, {}])).toMatchObject(waits);
  });

  test('waits as long where it had waited for something else, or was down, before', () => {
    expect(inTime([3 * day, sealed])).toMatchObject(waits);
    expect(inTime([hour, {}], [3 * day, sealed])).toMatchObject(waits);
    expect(inTime([hour, sealed], [day, {}], [2 * day, sealed])).toMatchObject(waits);
  });

  test('that still waits for its turn when a run is over 400 days old fails', () => {
    expect(inTime([399 * day, {}])).toMatchObject(waits);
    expect(inTime([401 * day, {}])).toMatchObject({
      type: 'RunFailed',
      data: { code: 'LIMIT_WALL' },
    });
  });

  test('waits for its turn however often, and its run goes on afterwards', () => {
    const { progress, definition, step, input } = working({ attempts: 1 });
    for (let turn = 0; turn < 2_000; turn += 1) {
      settle(progress, step, { ...busy, retryAfterSeconds: 3 }, 5_000);
      tryAgain(progress, step, input);
    }
    settle(progress, step, { ok: true, output: {} }, 5);
    advance(progress, { ...definition, steps: [...definition.steps, { ...step, id: 'b', path: 'b' }] });
    expect(progress.events.at(-1)).toMatchObject({ type: 'StepStarted', data: { step: 'b' } });
  });
});
