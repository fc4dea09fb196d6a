import { stripeConfig } from '@parley/providers/stripe';
import { twilioConfig } from '@parley/providers/twilio';
import { serviceConfig } from '@parley/service-kit';
import { z } from 'zod';
import { numberPriceConfig } from './number/prices.ts';
import { isReachableForCarrier, smsConfig } from './sms/config.ts';
import { voiceConfig } from './voice/config.ts';

/** Every key of the service's environment; the defaults work with the sandbox on this machine. */
export const telephonyConfig = serviceConfig
  .extend({
    ...voiceConfig.shape,
    ...twilioConfig.shape,
    ...stripeConfig.shape,
    ...smsConfig.shape,
    ...numberPriceConfig.shape,
    /** Milliseconds for one request to the carrier or the payment provider; a step of a purchase makes up to four. */
    PROVIDER_TIMEOUT_MS: z.coerce.number().int().min(100).max(30_000).default(3_000),
  })
  .superRefine((config, context) => {
    if (config.SANDBOX || isReachableForCarrier(config.GATEWAY_URL)) return;
    const message = 'Must be set where there is no sandbox.';
    context.addIssue({ code: 'custom', path: ['GATEWAY_URL'], message });
  });

export type TelephonyConfig = z.output<typeof telephonyConfig>;
