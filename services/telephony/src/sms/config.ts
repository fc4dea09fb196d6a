import { price } from '@parley/service-kit';
import { z } from 'zod';

const thisMachine = 'http://127.0.0.1:3000';

/** Keys of SMS. */
export const smsConfig = z.object({
  /** For each SMS, however long. */
  PRICE_SMS: price('0.05'),
  /** Where the carrier reaches the gateway, to tell what became of an SMS. */
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default(thisMachine),
});
export type SmsConfig = z.output<typeof smsConfig>;

/** The keys whose defaults only a sandbox on this machine can do with. */
export const unreachableForCarrier = ({ GATEWAY_URL }: SmsConfig): readonly (keyof SmsConfig)[] =>
  GATEWAY_URL === thisMachine ? ['GATEWAY_URL'] : [];
