import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry of the process's own (never the global one, so that two services fit into one test process). */
export function createMetricsRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}
