import type { VoicePlatform } from '@parley/providers';
import { createLiveKit } from '@parley/providers/livekit';
import type { TelephonyConfig } from '../config.ts';

/** Injection token of the `VoicePlatform`. */
export const VOICE_PLATFORM = Symbol('VoicePlatform');

export const createVoicePlatform = (config: TelephonyConfig): VoicePlatform =>
  createLiveKit({
    baseUrl: config.LIVEKIT_URL ?? config.SANDBOX_URL,
    apiKey: config.LIVEKIT_API_KEY,
    apiSecret: config.LIVEKIT_API_SECRET,
    agentName: config.LIVEKIT_AGENT_NAME,
  });
