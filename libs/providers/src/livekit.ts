export {
  type Caller,
  type CallOutcome,
  type CallReport,
  readLiveKitCallback,
  type VoiceEvent,
} from './livekit/callback.ts';
export { type LiveKitConfig, liveKitConfig, unsetLiveKitKeys } from './livekit/config.ts';
export { createLiveKit, type LiveKitOptions } from './livekit/livekit.ts';
