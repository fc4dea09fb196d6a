import type { Logger } from '@parley/process-kit';
import { isOutage, type OnProblem, type ProcessorProblem } from '@parley/processing';
import { Counter, type Registry } from 'prom-client';
import type { DatabaseOutage } from './database-outage.ts';

/**
 * What goes wrong in the background is counted, and logged with its reason and what it is about. What an outage of the
 * database stops goes on after it, and is no news.
 */
export function tellOfProblems(
  logger: Logger,
  registry: Registry,
  outage: Pick<DatabaseOutage, 'tell'>,
): OnProblem {
  const problems = new Counter({
    name: 'parley_processor_problems_total',
    help: 'Retries and dead letters of reactors, projections and timers.',
    labelNames: ['processor', 'kind'] as const,
    registers: [registry],
  });
  return (problem) => {
    const { kind, processor, error } = problem;
    problems.inc({ processor, kind });
    const fields = { err: error, processor, kind, ...subjectOf(problem) };
    const sentence = 'background work failed';
    if (kind === 'dead-letter') logger.error(fields, sentence);
    else if (isOutage(error)) outage.tell(fields, sentence);
    else logger.warn(fields, sentence);
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
