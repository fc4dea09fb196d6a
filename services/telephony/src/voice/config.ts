import { sandboxOnly, secret } from '@parley/process-kit';
import { liveKitConfig } from '@parley/providers/livekit';
import { price } from '@parley/service-kit';
import { z } from 'zod';

/** Addresses and ranges (CIDR), separated by commas. */
const ipRanges = () =>
  z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(
      z.array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'Must be addresses, or ranges such as 203.0.113.0/24, separated by commas.',
        }),
      ),
    );
const host = () => z.string().regex(/^[A-Za-z0-9.[\]:-]{1,255}$/);

/** Keys of calls and trunks. */
export const voiceConfig = z.object({
  ...liveKitConfig.shape,
  /** Where the voice platform sends calls from bought numbers: the carrier's SIP server. */
  CARRIER_SIP_ADDRESS: sandboxOnly(host().default('parley.pstn.twilio.com')),
  /** Whom the carrier knows it as; without them the carrier goes by its address. */
  CARRIER_SIP_USERNAME: z.string().max(255).optional(),
  CARRIER_SIP_PASSWORD: secret(''),
  /** Where it calls bought numbers from; without them whoever reaches the voice platform's SIP port may call as it. */
  CARRIER_SIP_ALLOWED_IPS: ipRanges().nullable().default(null),
  /** Where it sends calls of the chat app. */
  CHAT_SIP_ADDRESS: host().default('wa.meta.vc'),
  /** The proxy with a fixed address for trunks that ask for one; without it they dial directly. */
  SIP_OUTBOUND_PROXY: host().optional(),
  /** For each begun minute of a call, in either direction. */
  PRICE_CALL_MINUTE: price('0.10'),
});
export type VoiceConfig = z.output<typeof voiceConfig>;
