import { serviceConfig } from '@parley/service-kit';
import { z } from 'zod';

/** Every key of the service's environment. */
export const automationsConfig = serviceConfig.extend({
  /**
   * How many runs one process works on at a time. With 0, all runs wait, as is wanted after a restore from a backup.
   */
  MAX_CONCURRENT_RUNS: z.coerce.number().int().min(0).max(10_000).default(256),
});

export type AutomationsConfig = z.output<typeof automationsConfig>;
