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

/** The keys whose values only a sandbox can do with: names without a dot are those of this machine and its network. */
export function unreachableForCarrier({ GATEWAY_URL }: SmsConfig): readonly (keyof SmsConfig)[] {
  const { hostname } = new URL(GATEWAY_URL);
  return hostname.includes('.') && !hostname.startsWith('127.') ? [] : ['GATEWAY_URL'];
}
