import { secret } from '@parley/process-kit';
import { liveKitConfig, unsetLiveKitKeys } from '@parley/providers/livekit';
import { price } from '@parley/service-kit';
import { z } from 'zod';

const sandboxCarrier = 'parley.pstn.twilio.com';
const host = () => z.string().regex(/^[A-Za-z0-9.[\]:-]{1,255}$/);

/** Keys of calls and trunks. */
export const voiceConfig = z.object({
  ...liveKitConfig.shape,
  /** Where the voice platform sends calls from bought numbers: the carrier's SIP server. */
  CARRIER_SIP_ADDRESS: host().default(sandboxCarrier),
  /** Whom the carrier knows it as; without them the carrier goes by its address. Taken when the trunk is made. */
  CARRIER_SIP_USERNAME: z.string().max(255).optional(),
  CARRIER_SIP_PASSWORD: secret(''),
  /** Where it sends calls of the chat app. */
  CHAT_SIP_ADDRESS: host().default('wa.meta.vc'),
  /** The proxy with a fixed address for trunks that ask for one; without it they dial directly. */
  SIP_OUTBOUND_PROXY: host().optional(),
  /** For each begun minute of a call, in either direction. */
  PRICE_CALL_MINUTE: price('0.10'),
});
export type VoiceConfig = z.output<typeof voiceConfig>;

/** The keys whose defaults only a sandbox can do with. */
export const unsetVoiceKeys = (config: VoiceConfig): readonly (keyof VoiceConfig)[] => [
  ...unsetLiveKitKeys(config),
  ...(config.CARRIER_SIP_ADDRESS === sandboxCarrier ? (['CARRIER_SIP_ADDRESS'] as const) : []),
];
