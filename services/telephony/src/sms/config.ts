import { price } from '@parley/service-kit';
import { z } from 'zod';

/** Keys of SMS. */
export const smsConfig = z.object({
  /** For each SMS, however long. */
  PRICE_SMS: price('0.05'),
  /** Where the carrier reaches the gateway, to tell what became of an SMS. */
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
});
export type SmsConfig = z.output<typeof smsConfig>;

/** Names without a dot are those of this machine and its network, as good as unset. */
export function isReachableForCarrier(gatewayUrl: string): boolean {
  const { hostname } = new URL(gatewayUrl);
  return hostname.includes('.') && !hostname.startsWith('127.');
}
