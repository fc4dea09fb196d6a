export {
  type Caller,
  type CallOutcome,
  type CallReport,
  readLiveKitCallback,
  type VoiceEvent,
} from './livekit/callback.ts';
export { liveKitConfig } from './livekit/config.ts';
export { createLiveKit } from './livekit/livekit.ts';
