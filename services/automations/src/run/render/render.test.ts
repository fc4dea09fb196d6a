import type { RunEvent } from '@parley/contracts';
import { given, golden } from '@parley/testing';
import { expect, test } from 'vitest';
import { automationStopped, endRun } from '../advance/end-run.ts';
import { run } from '../fold-run.ts';
import { definitionOf, justStarted } from '../progress.fixture.ts';
import { renderRun } from './render.ts';

test('a step that failed before it began is shown with its name and type', () => {
  const definition = definitionOf({ kind: 'delay', id: 'wait', for: 'PT1H' });
  const progress = justStarted();
  endRun(progress, automationStopped, definition);
  const { steps } = renderRun(
    progress.run,
    Date.parse(progress.at),
    { kind: 'no_op', reason: 'too_old' },
    definition,
  );
  expect(steps).toMatchObject([{ name: definition.steps[0]?.name, type: 'delay', status: 'FAILED' }]);
});

test.each([
  [[], null],
  [['StepStarted.v1'], null],
  [['StepStarted.v1', 'StepRetryScheduled.v1'], { until: '2026-03-29T01:00:01.257Z', reason: 'SEND_FAILED' }],
  [['RunPaused.v1'], { until: expect.stringMatching(/Z$/), reason: null }],
  [['RunPaused.v1', 'RunResumed.v1'], null],
])('a run that came to %j waits until %j', (events, waiting) => {
  const state = given(run, ...golden<RunEvent>('RunStarted.v1', ...events));
  if (!state) throw new Error('It did not start.');
  expect(renderRun(state, 0, { kind: 'failed', reason: 'running' }).waiting).toEqual(waiting);
});
