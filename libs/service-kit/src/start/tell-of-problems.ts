import type { Logger } from '@parley/process-kit';
import type { OnProblem } from '@parley/processing';
import { Counter, type Registry } from 'prom-client';

/** What goes wrong in the background is logged, with its reason, and counted. */
export function tellOfProblems(logger: Logger, registry: Registry): OnProblem {
  const problems = new Counter({
    name: 'parley_processor_problems_total',
    help: 'Retries and dead letters of reactors, projections and timers.',
    labelNames: ['processor', 'kind'] as const,
    registers: [registry],
  });
  return ({ kind, processor, error }) => {
    problems.inc({ processor, kind });
    const level = kind === 'retrying' ? 'warn' : 'error';
    logger[level]({ err: error, processor, kind }, 'background work failed');
  };
}
