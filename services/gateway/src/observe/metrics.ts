import { Gauge, Histogram, type Registry } from 'prom-client';

/** One answer, as the metrics and the log see it. */
interface Answered {
  /** The operation's name; `none` for a request to no operation. */
  readonly operation: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
}

export type Observe = (answered: Answered) => void;

/** Requests by operation and status (the histogram's `_count`), their latency, and how many wait for a service. */
export function createRequestMetrics(registry: Registry, waiting: () => number): Observe {
  const duration = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the request’s head to its answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'parley_http_requests_waiting',
    help: 'Requests that wait for a service right now.',
    registers: [registry],
    collect() {
      this.set(waiting());
    },
  });
  return ({ operation, status, durationMs }) => duration.observe({ operation, status }, durationMs / 1000);
}
