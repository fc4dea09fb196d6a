import { createLogger, createMetricsRegistry } from '@parley/process-kit';
import { recorded } from '@parley/testing';
import { expect, test, vi } from 'vitest';
import { tellOfProblems } from './tell-of-problems.ts';

const noOutage = { tell: () => expect.unreachable() };

test('a problem is logged with its reason, and counted', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const warn = vi.spyOn(logger, 'warn');
  const registry = createMetricsRegistry('test');
  const onProblem = tellOfProblems(logger, registry, noOutage);
  const error = new Error('no answer');
  onProblem({ kind: 'retrying', processor: 'inline projections', error, attempt: 1, position: null });
  // Of an error under another name pino shows what can be enumerated: not its message.
  expect(warn).toHaveBeenCalledWith(
    { err: error, processor: 'inline projections', kind: 'retrying', attempt: 1 },
    'background work failed',
  );
  const metric = await registry.getSingleMetric('parley_processor_problems_total')?.get();
  expect(metric?.values).toMatchObject([
    { labels: { processor: 'inline projections', kind: 'retrying' }, value: 1 },
  ]);
});

test('a problem is told with the event or the timer that it is about', () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const [warn, fail] = [vi.spyOn(logger, 'warn'), vi.spyOn(logger, 'error')];
  const onProblem = tellOfProblems(logger, createMetricsRegistry('test'), noOutage);
  const error = new Error('no answer');
  onProblem({ kind: 'retrying', processor: 'reactor:a', error, attempt: 2, position: 7 });
  onProblem({ kind: 'retrying', processor: 'timers', error, attempt: 3, position: null, timer: 'run:b' });
  expect(warn.mock.calls.map(([fields]) => fields)).toMatchObject([
    { attempt: 2, position: 7 },
    { attempt: 3, timer: 'run:b' },
  ]);
  const event = recorded({ type: 'Noted', data: {} }, { position: 8 });
  onProblem({ kind: 'dead-letter', processor: 'reactor:a', error, attempts: 5, event });
  expect(fail.mock.calls[0]?.[0]).toMatchObject({ attempt: 5, position: 8, eventId: event.eventId });
});

test('what an outage of the database stops is counted and told as part of it, and a fault of ours is not', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const warn = vi.spyOn(logger, 'warn');
  const tell = vi.fn();
  const registry = createMetricsRegistry('test');
  const onProblem = tellOfProblems(logger, registry, { tell });
  const retrying = { kind: 'retrying', processor: 'timers', attempt: 1, position: null } as const;
  const error = new Error('Connection terminated unexpectedly');
  onProblem({ ...retrying, error });
  expect(tell.mock.calls).toEqual([
    [{ err: error, processor: 'timers', kind: 'retrying', attempt: 1 }, 'background work failed'],
  ]);
  expect(warn).not.toHaveBeenCalled();
  onProblem({ ...retrying, error: new TypeError('x is not a function') });
  expect([warn.mock.calls.length, tell.mock.calls.length]).toEqual([1, 1]);
  const metric = await registry.getSingleMetric('parley_processor_problems_total')?.get();
  expect(metric?.values).toMatchObject([{ value: 2 }]);
});
