import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandboxToken = 'sandbox-twilio-token';

/** Keys of a process that talks to Twilio; the defaults are those of the sandbox on this machine. */
export const twilioConfig = z.object({
  /** `https://api.twilio.com` in production; the sandbox when absent. */
  TWILIO_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/)
    .default('AC00000000000000000000000000000000'),
  TWILIO_AUTH_TOKEN: secret(sandboxToken),
});

export type TwilioConfig = z.output<typeof twilioConfig>;

/** The secrets that everybody knows, because they were not set: acceptable on a stack with a sandbox only. */
export const knownTwilioSecrets = (config: TwilioConfig): readonly (keyof TwilioConfig)[] =>
  config.TWILIO_AUTH_TOKEN.reveal() === sandboxToken ? ['TWILIO_AUTH_TOKEN'] : [];
