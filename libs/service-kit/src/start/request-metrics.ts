import type { HandledRequest } from '@parley/message-bus/nest';
import { Histogram, type Registry } from 'prom-client';

/** Counts and times every request the service answers, by subject and outcome. */
export function createRequestMetrics(registry: Registry): (request: HandledRequest) => void {
  const durations = new Histogram({
    name: 'parley_request_duration_seconds',
    help: 'Time from taking a request off the bus to its answer.',
    labelNames: ['subject', 'outcome'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ subject, outcome, durationMs }) => durations.observe({ subject, outcome }, durationMs / 1000);
}
