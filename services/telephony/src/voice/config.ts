import { sandboxOnly, secret } from '@parley/process-kit';
import { liveKitConfig } from '@parley/providers/livekit';
import { price } from '@parley/service-kit';
import { z } from 'zod';

/** IP addresses and ranges (CIDR), separated by commas. */
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

/** Environment keys of calls and trunks. */
export const voiceConfig = z.object({
  ...liveKitConfig.shape,
  /** Host of the carrier's SIP server, to which the voice platform sends calls from bought numbers. */
  CARRIER_SIP_ADDRESS: sandboxOnly(host().default('parley.pstn.twilio.com')),
  /** Username at the carrier; without one, the carrier recognises the platform by its IP address. */
  CARRIER_SIP_USERNAME: z.string().max(255).optional(),
  CARRIER_SIP_PASSWORD: secret(''),
  /**
   * IP addresses from which the carrier sends calls to bought numbers. Without them, whoever reaches the voice
   * platform's SIP port may send such calls.
   */
  CARRIER_SIP_ALLOWED_IPS: ipRanges().nullable().default(null),
  /** New calls a second that the carrier takes on its trunk; at Twilio one, until more are paid for. */
  CARRIER_CALLS_PER_SECOND: z.coerce.number().min(0.1).max(1_000).default(1),
  /** Host of the chat app's SIP server, to which the voice platform sends calls from senders. */
  CHAT_SIP_ADDRESS: host().default('wa.meta.vc'),
  /** Host of the proxy with a fixed address, for trunks that ask for one; without it they dial directly. */
  SIP_OUTBOUND_PROXY: host().optional(),
  /** Price of each begun minute of a call, in either direction; in micros once parsed. */
  PRICE_CALL_MINUTE: price('0.10'),
});
export type VoiceConfig = z.output<typeof voiceConfig>;
