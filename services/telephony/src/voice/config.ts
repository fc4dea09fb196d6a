import { isKnownLiveKitSecret, liveKitConfig } from '@parley/providers/livekit';
import { price } from '@parley/service-kit';
import { z } from 'zod';

const host = () => z.string().regex(/^[A-Za-z0-9.[\]:-]{1,255}$/);

/** Keys of calls and trunks. */
export const voiceConfig = z.object({
  ...liveKitConfig.shape,
  /** Where the voice platform sends calls from bought numbers: the carrier's SIP server. */
  CARRIER_SIP_ADDRESS: host().default('parley.pstn.twilio.com'),
  /** Where it sends calls of the chat app. */
  CHAT_SIP_ADDRESS: host().default('wa.meta.vc'),
  /** The proxy with a fixed address for trunks that ask for one; without it they dial directly. */
  SIP_OUTBOUND_PROXY: host().optional(),
  /** For each begun minute of a call, in either direction. */
  PRICE_CALL_MINUTE: price('0.10'),
});
export type VoiceConfig = z.output<typeof voiceConfig>;

/** The secrets that everybody knows, because they were not set. */
export const knownVoiceSecrets = (config: VoiceConfig): readonly string[] =>
  isKnownLiveKitSecret(config) ? ['LIVEKIT_API_SECRET'] : [];
