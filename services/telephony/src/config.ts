import { serviceConfig } from '@parley/service-kit';
import { z } from 'zod';

/** Every key of the service's environment; the defaults work with the sandbox on this machine. */
export const telephonyConfig = serviceConfig.extend({
  /** Where the stand-in for the outside world is: the base URL of every provider that has none of its own. */
  SANDBOX_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3900'),
});

export type TelephonyConfig = z.output<typeof telephonyConfig>;
