import { recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { endRun, payloadsGone } from '../run/advance/end-run.ts';
import { definitionOf, justStarted } from '../run/progress.fixture.ts';
import { eventTriggers } from './event-triggers.ts';
import { describeFailure } from './failed-run.ts';

const definition = definitionOf({ kind: 'action', id: 'tell', effect: 'keyed' });

function failed(triggerType: string, chainDepth = 0) {
  const progress = justStarted();
  progress.fail(
    { id: 'tell', path: 'tell' },
    { code: 'HTTP_503', class: 'wiring_error', message: 'The answer was 503.' },
    { definite: true },
  );
  const { run } = progress;
  return { run: { ...run, trigger: { ...run.trigger, type: triggerType } }, chainDepth };
}
const facts = { now: Date.parse(failed('schedule').run.at), pinned: definition, newest: definition };

test('a failed run is told with its step, its error, and whether it can be retried', () => {
  const { run } = failed('schedule');
  expect(describeFailure(failed('schedule'), 'Orders', facts)).toEqual({
    automation_id: run.automationId,
    automation_name: 'Orders',
    run_id: run.runId,
    version: run.version,
    trigger_type: 'schedule',
    step: { id: 'tell', name: 'tell', path: 'tell', type: expect.any(String), attempts: expect.any(Number) },
    error: '[HTTP_503] The answer was 503.',
    code: 'HTTP_503',
    message: 'The answer was 503.',
    classification: 'wiring_error',
    started_at: run.startedAt,
    failed_at: run.at,
    chain_depth: 0,
    retries: 0,
    retry: { possible: true, reason: null, from_step: 'tell' },
  });
  const gone = { ...facts, pinned: undefined };
  expect(describeFailure(failed('schedule'), 'Orders', gone)).toMatchObject({
    retry: { possible: false, reason: 'version_gone' },
  });
});

test('a run that failed since what it works on was erased cannot be retried, also in the moment of its failure', () => {
  const progress = justStarted();
  endRun(progress, payloadsGone, definition);
  expect(describeFailure({ run: progress.run, chainDepth: 0 }, 'Orders', facts)).toMatchObject({
    code: 'PAYLOADS_GONE',
    retry: { possible: false, reason: 'payloads_erased', from_step: null },
  });
});

test('a run that began with a failure is told to nobody, nor is one that has not failed', () => {
  expect(describeFailure(failed('run.failed'), 'Tell', facts)).toBeUndefined();
  expect(describeFailure({ run: justStarted().run, chainDepth: 0 }, 'Tell', facts)).toBeUndefined();
});

test('what a failure starts is one deeper than the run, or than what had it retried', async () => {
  const trigger = eventTriggers.find(({ trigger: type }) => type === 'run.failed');
  const payload = describeFailure(failed('schedule', 3), 'Orders', facts);
  if (!payload || !trigger) throw new Error('It is told.');
  const data = { step: 'tell', path: 'tell', code: 'HTTP_503', class: 'wiring_error', at: payload.failed_at };
  expect(trigger.chainDepth(recorded({ type: 'RunFailed', data }), payload)).toBe(4);
  const hears = trigger.concerns(data, payload);
  expect(hears({ type: 'run.failed' })).toBe(true);
  expect(hears({ type: 'run.failed', automation_id: payload.automation_id })).toBe(true);
  expect(hears({ type: 'run.failed', automation_id: payload.automation_id + 1 })).toBe(false);
});
