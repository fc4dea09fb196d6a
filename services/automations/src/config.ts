import { serviceConfig } from '@parley/service-kit';
import type { z } from 'zod';

/** Every key of the service's environment. */
export const automationsConfig = serviceConfig.extend({});

export type AutomationsConfig = z.output<typeof automationsConfig>;
