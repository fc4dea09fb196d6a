import { type ProcessorProblem, startProcessors, startTimers } from '@parley/processing';
import { Counter, type Registry } from 'prom-client';
import type { Closers } from './closers.ts';
import type { Background, BackgroundParts } from './service-definition.ts';

/** Processors and timers, their problems logged and counted. */
export async function startBackground(
  { processors = [], timers = {} }: Background,
  { logger, ownership, pool, registry, store }: BackgroundParts & { registry: Registry },
  closers: Closers,
): Promise<void> {
  const problems = new Counter({
    name: 'parley_processor_problems_total',
    help: 'Retries, dead letters and stops of reactors, process managers, projections and timers.',
    labelNames: ['processor', 'kind'] as const,
    registers: [registry],
  });
  const onProblem = (problem: ProcessorProblem) => {
    const { kind, processor, error } = problem;
    problems.inc({ processor, kind });
    const level = kind === 'retrying' ? 'warn' : 'error';
    logger[level]({ err: error, processor, kind }, 'background work failed');
  };
  if (processors.length > 0) {
    const running = await startProcessors({ store, pool, processors, ownership, onProblem });
    closers.add(() => running.close());
  }
  if (Object.keys(timers).length > 0) {
    const running = startTimers({ store, pool, handlers: timers, onProblem });
    closers.add(() => running.close());
  }
}
