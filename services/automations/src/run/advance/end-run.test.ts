import { expect, test } from 'vitest';
import { begun, busy, definitionOf, justStarted, later, working } from '../progress.fixture.ts';
import type { Progress } from '../progress.ts';
import { automationDeleted, automationStopped, definitionGone, endRun, payloadsGone } from './end-run.ts';
import { resume } from './resume.ts';
import { settle } from './settle.ts';

const { code, class: kind, message } = automationDeleted;
const twoSteps = [
  { kind: 'action', id: 'a', effect: 'keyed' },
  { kind: 'delay', id: 'wait', for: 'PT1H' },
] as const;

/** What ending it adds. */
function ended(progress: Progress, definition: Parameters<typeof endRun>[2]) {
  const before = progress.events.length;
  endRun(progress, automationDeleted, definition);
  return progress.events.slice(before);
}

const failedAt = (step: string, definite: boolean, attempts: number) => [
  { type: 'StepFailed', data: { step, path: step, code, class: kind, message, definite, attempts } },
  { type: 'RunFailed', data: { step, path: step, code, class: kind } },
];

test('a run that works on a step ends there, and nobody knows whether the step is done', () => {
  const { progress, definition } = working();
  expect(ended(progress, definition)).toMatchObject(failedAt('a', false, 1));
});

test('a run that waits to try a step again ends there: it was not done', () => {
  const { progress, step, definition } = working();
  settle(progress, step, busy, 5);
  expect(ended(progress, definition)).toMatchObject(failedAt('a', true, 1));
});

test('a run that is between two steps ends at the one that would come next', () => {
  const { progress, work, definition } = begun(...twoSteps);
  if (!work) throw new Error('There is work.');
  settle(progress, work.step, { ok: true, output: {} }, 5);
  expect(ended(progress, definition)).toMatchObject(failedAt('wait', true, 0));
});

test('a run whose last step is done has succeeded, whatever would end it', () => {
  const { progress, definition } = begun({ kind: 'delay', id: 'wait', for: 'PT1H' });
  const resumed = later(progress, 3_600_000);
  resume(resumed, 1);
  expect(ended(resumed, definition)).toMatchObject([{ type: 'RunSucceeded', data: { steps: 1 } }]);
});

test('a run that has not begun ends at its first step, or as a whole where nobody knows its steps', () => {
  expect(ended(justStarted(), definitionOf(...twoSteps))).toMatchObject(failedAt('a', true, 0));
  expect(ended(justStarted(), undefined)).toMatchObject(failedAt('run', true, 0));
});

test('a run that has ended stays as it is', () => {
  const { progress, definition } = working();
  ended(progress, definition);
  expect(ended(progress, definition)).toEqual([]);
});

test('why a run is ended is told in words, and no retry mends it by itself', () => {
  const faults = [automationDeleted, automationStopped, definitionGone, payloadsGone];
  expect(faults).toEqual([
    { code: 'AUTOMATION_DELETED', class: 'wiring_error', message: 'The automation was deleted.' },
    {
      code: 'AUTOMATION_STOPPED',
      class: 'wiring_error',
      message: 'The automation was deactivated, which stops its runs.',
    },
    {
      code: 'DEFINITION_GONE',
      class: 'wiring_error',
      message: 'The version of the automation that this run follows does not exist any more.',
    },
    { code: 'PAYLOADS_GONE', class: 'wiring_error', message: 'What the run works on was erased.' },
  ]);
});
