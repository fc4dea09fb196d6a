import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/** Environment keys of a process that talks to Twilio; the defaults are those of the sandbox on this machine. */
export const twilioConfig = z.object({
  /** `https://api.twilio.com` in production; the sandbox when absent. */
  TWILIO_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  TWILIO_ACCOUNT_SID: sandboxOnly(
    z
      .string()
      .regex(/^AC[0-9a-f]{32}$/)
      .default('AC00000000000000000000000000000000'),
  ),
  TWILIO_AUTH_TOKEN: sandboxOnly(secret('sandbox-twilio-token')),
  /** The Elastic SIP Trunk that brings calls of bought numbers to the voice platform; without it nobody can call them. */
  TWILIO_TRUNK_SID: sandboxOnly(
    z
      .string()
      .regex(/^TK[0-9a-f]{32}$/)
      .optional(),
  ),
});
