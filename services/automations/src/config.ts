import { serviceConfig } from '@parley/service-kit';
import { z } from 'zod';

/** Every key of the service's environment. */
export const automationsConfig = serviceConfig.extend({
  /** Runs that one process works on at a time; with 0 all of them wait, as after a backup was put back. */
  MAX_CONCURRENT_RUNS: z.coerce.number().int().min(0).max(10_000).default(256),
});

export type AutomationsConfig = z.output<typeof automationsConfig>;
