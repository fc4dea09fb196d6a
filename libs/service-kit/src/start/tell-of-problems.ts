import type { Logger } from '@parley/process-kit';
import type { OnProblem, ProcessorProblem } from '@parley/processing';
import { Counter, type Registry } from 'prom-client';

/** What goes wrong in the background is logged, with its reason and what it is about, and counted. */
export function tellOfProblems(logger: Logger, registry: Registry): OnProblem {
  const problems = new Counter({
    name: 'parley_processor_problems_total',
    help: 'Retries and dead letters of reactors, projections and timers.',
    labelNames: ['processor', 'kind'] as const,
    registers: [registry],
  });
  return (problem) => {
    const { kind, processor, error } = problem;
    problems.inc({ processor, kind });
    const level = kind === 'retrying' ? 'warn' : 'error';
    logger[level]({ err: error, processor, kind, ...subjectOf(problem) }, 'background work failed');
  };
}

/** Which event or timer it is about. Streams are not named: a person's number is in the names of some. */
function subjectOf(problem: ProcessorProblem): object {
  if (problem.kind === 'dead-letter') {
    const { eventId, position } = problem.event;
    return { attempt: problem.attempts, position, eventId };
  }
  const { attempt, position, timer } = problem;
  return { attempt, ...(position !== null && { position }), ...(timer !== undefined && { timer }) };
}
