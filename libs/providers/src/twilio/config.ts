import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandboxToken = 'sandbox-twilio-token';
const sandboxAccount = 'AC00000000000000000000000000000000';

/** Keys of a process that talks to Twilio; the defaults are those of the sandbox on this machine. */
export const twilioConfig = z.object({
  /** `https://api.twilio.com` in production; the sandbox when absent. */
  TWILIO_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/)
    .default(sandboxAccount),
  TWILIO_AUTH_TOKEN: secret(sandboxToken),
  /** The Elastic SIP Trunk that brings calls of bought numbers to the voice platform; without it nobody can call them. */
  TWILIO_TRUNK_SID: z
    .string()
    .regex(/^TK[0-9a-f]{32}$/)
    .optional(),
});

export type TwilioConfig = z.output<typeof twilioConfig>;

/** The keys without which only a sandbox can be talked to, or whose values everybody knows, because they were not set. */
export const unsetTwilioKeys = (config: TwilioConfig): readonly (keyof TwilioConfig)[] => [
  ...(config.TWILIO_BASE_URL === undefined ? (['TWILIO_BASE_URL'] as const) : []),
  ...(config.TWILIO_ACCOUNT_SID === sandboxAccount ? (['TWILIO_ACCOUNT_SID'] as const) : []),
  ...(config.TWILIO_AUTH_TOKEN.reveal() === sandboxToken ? (['TWILIO_AUTH_TOKEN'] as const) : []),
  ...(config.TWILIO_TRUNK_SID === undefined ? (['TWILIO_TRUNK_SID'] as const) : []),
];
