import { expect, test } from 'vitest';
import { automationStopped, endRun } from '../advance/end-run.ts';
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
