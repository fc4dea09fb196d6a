import type { OnProblem } from '@parley/processing';
import { eventually } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startAdmission } from './admission.ts';
import type { ReadyRun, ReadyRuns } from './ready-runs.ts';
import { Slots } from './slots.ts';

/** Runs that are ready, the oldest first, handed out one at a time, as of an automation with one place. */
function oneAtATime(runIds: readonly string[]) {
  const open = new Set(runIds);
  const ready: ReadyRuns = {
    async claim({ except }, work) {
      const runId = [...open].find((id) => !except.includes(id));
      if (runId !== undefined) await work([{ runId, accountId: 1 }]);
    },
  };
  return { open, ready };
}

function admit(
  ready: ReadyRuns,
  claim: (run: ReadyRun) => Promise<boolean>,
  onProblem: OnProblem = () => undefined,
) {
  const engine = { claim };
  const admission = startAdmission({
    engine,
    ready,
    slots: new Slots(8),
    onHint: () => () => undefined,
    onProblem,
  });
  onTestFinished(() => admission.close());
}

test('a run that this copy cannot begin holds up no other', async () => {
  const { open, ready } = oneAtATime(['sealed with a key that is missing', 'a', 'b']);
  admit(ready, async ({ runId }) => runId.length === 1 && open.delete(runId));
  await eventually(() => expect([...open]).toEqual(['sealed with a key that is missing']));
});

test('a run that could not be begun is tried again', async () => {
  const { open, ready } = oneAtATime(['a']);
  let tries = 0;
  admit(ready, async ({ runId }) => {
    tries += 1;
    return tries > 3 && open.delete(runId);
  });
  await eventually(() => expect(open.size).toBe(0));
});

test('that runs cannot be claimed is told as what else fails in the background, and tried again', async () => {
  const { open, ready } = oneAtATime(['a']);
  const away = new Error('Connection terminated unexpectedly');
  const attempts: number[] = [];
  const failingTwice: ReadyRuns = {
    claim: (limits, work) => (attempts.length < 2 ? Promise.reject(away) : ready.claim(limits, work)),
  };
  admit(
    failingTwice,
    async ({ runId }) => open.delete(runId),
    (problem) => {
      expect(problem).toMatchObject({ kind: 'retrying', processor: 'admission', error: away });
      if (problem.kind === 'retrying') attempts.push(problem.attempt);
    },
  );
  await eventually(() => expect(open.size).toBe(0));
  expect(attempts).toEqual([1, 2]);
});
