import { createLogger, createMetricsRegistry } from '@parley/process-kit';
import { expect, test, vi } from 'vitest';
import { tellOfProblems } from './tell-of-problems.ts';

test('a problem is logged with its reason, and counted', async () => {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const warn = vi.spyOn(logger, 'warn');
  const registry = createMetricsRegistry('test');
  const onProblem = tellOfProblems(logger, registry);
  const error = new Error('no answer');
  onProblem({ kind: 'retrying', processor: 'inline projections', error, attempt: 1, position: null });
  // Of an error under another name pino shows what can be enumerated: not its message.
  expect(warn).toHaveBeenCalledWith(
    { err: error, processor: 'inline projections', kind: 'retrying' },
    'background work failed',
  );
  const metric = await registry.getSingleMetric('parley_processor_problems_total')?.get();
  expect(metric?.values).toMatchObject([
    { labels: { processor: 'inline projections', kind: 'retrying' }, value: 1 },
  ]);
});
