import { collectDefaultMetrics, Registry } from 'prom-client';

/** Each sample wakes the process: every ten milliseconds, as is the default, would be most of what wakes it at rest. */
const lagSampledEveryMs = 50;

/** A registry of the process's own (never the global one, so that two services fit into one test process). */
export function createMetricsRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampledEveryMs });
  return registry;
}
