export {
  type Caller,
  type CallOutcome,
  type CallReport,
  readLiveKitCallback,
  type VoiceEvent,
} from './livekit/callback.ts';
export { isKnownLiveKitSecret, type LiveKitConfig, liveKitConfig } from './livekit/config.ts';
export { createLiveKit, type LiveKitOptions } from './livekit/livekit.ts';
