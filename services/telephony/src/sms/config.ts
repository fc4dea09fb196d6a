import { price } from '@parley/service-kit';
import { z } from 'zod';

/** Environment keys of SMS. */
export const smsConfig = z.object({
  /** Price of each segment of an SMS, as the carrier takes its own; in micros once parsed. */
  PRICE_SMS: price('0.05'),
  /** URL at which the carrier reaches the gateway, to report what became of an SMS. */
  GATEWAY_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
});
export type SmsConfig = z.output<typeof smsConfig>;

/**
 * Whether the carrier may reach the URL: names without a dot are those of this machine and its network, as good as
 * unset.
 */
export function isReachableForCarrier(gatewayUrl: string): boolean {
  const { hostname } = new URL(gatewayUrl);
  return hostname.includes('.') && !hostname.startsWith('127.');
}
