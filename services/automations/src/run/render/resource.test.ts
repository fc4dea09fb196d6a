import type { RunEvent } from '@parley/contracts';
import { given, golden, recorded } from '@parley/testing';
import { expect, test } from 'vitest';
import { run } from '../fold-run.ts';
import { runResource, showRun } from './resource.ts';

const id = '5d1f6f2e-3c4b-5a69-9788-1a2b3c4d5e6f';

test('a run is found by its UUID, and by nothing else', () => {
  expect(runResource.streamOf(id)).toBe(`run-${id}`);
  for (const other of ['12', '', `${id}0`, id.toUpperCase()])
    expect(runResource.streamOf(other)).toBeUndefined();
});

test('nothing is shown of a run before its start, whatever else is told of it', () => {
  expect(showRun(given(run, ...golden<RunEvent>('RunSucceeded.v1', 'StepStarted.v1')))).toBeNull();
  expect(showRun(given(run, ...golden<RunEvent>('RunStarted.v1')))).toMatchObject({
    status: 'RUNNING',
    steps: {},
  });
});

test('a run has the names of the API in its history', () =>
  expect(showRun(given(run, ...golden<RunEvent>('RunStarted.v1', 'RunSucceeded.v1')))).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    automation_id: expect.stringMatching(/^\d+$/),
    status: 'SUCCEEDED',
    duration_ms: expect.any(Number),
  }));

test('why a step is tried again, and when, can be read in the history', () => {
  const events = golden<Parameters<typeof recorded>[0]>('RunStarted.v1', 'StepRetryScheduled.v1');
  const [, again] = runResource.changes(events.map((event) => recorded(event)));
  expect(again?.summary).toBe(
    'Step send failed for now, and is tried again at 2026-03-29T01:00:01.257Z: [SEND_FAILED] The chat platform is not available.',
  );
});

test('a run that somebody asked for with a sample is told from one that an event started', () => {
  const [started] = golden<RunEvent>('RunStarted.v1');
  if (started?.type !== 'RunStarted') throw new Error('Another golden file.');
  const summaryWith = (eventId: string) => {
    const trigger = { ...started.data.trigger, event_id: eventId };
    const event = recorded({ ...started, data: { ...started.data, trigger } });
    return runResource.changes([event])[0]?.summary;
  };
  expect(summaryWith('test:1')).toMatch(/^Somebody tried the automation/);
  expect(summaryWith('webhook:test:1')).toMatch(/^A trigger started/);
});

test('a step that another process takes over is told from one that begins', () => {
  const [started] = golden<RunEvent>('StepStarted.v1');
  if (started?.type !== 'StepStarted') throw new Error('Another golden file.');
  const summaryOf = (takeover: number) =>
    runResource.changes([recorded({ ...started, data: { ...started.data, takeover } })])[0]?.summary;
  expect(summaryOf(1)).toBe('Step send is done again: the process that worked on it is gone.');
  expect(summaryOf(0)).toBe('A step of a run was started.');
});

test('why what a run worked on was erased can be read in its history', () => {
  const [erased] = golden<RunEvent>('RunPayloadsErased.v1');
  if (erased?.type !== 'RunPayloadsErased') throw new Error('Another golden file.');
  const summaryOf = (why: 'retention' | 'request') =>
    runResource.changes([recorded({ ...erased, data: { ...erased.data, why } })])[0]?.summary;
  expect(summaryOf('retention')).toMatch(/a month after its end/);
  expect(summaryOf('request')).toMatch(/a person that it mentioned/);
});
