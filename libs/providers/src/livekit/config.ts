import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandboxSecret = 'sandbox-livekit-secret-of-32-characters';

/** Keys of a process that talks to LiveKit; the defaults are those of the sandbox on this machine. */
export const liveKitConfig = z.object({
  /** `https://<project>.livekit.cloud` in production; the sandbox when absent. */
  LIVEKIT_URL: z.url({ protocol: /^(https?|wss?)$/ }).optional(),
  LIVEKIT_API_KEY: z.string().default('sandbox-livekit'),
  /** Also signs the platform's callbacks. */
  LIVEKIT_API_SECRET: secret(sandboxSecret),
  /** The agent that speaks in rooms. */
  LIVEKIT_AGENT_NAME: z.string().default('parley'),
});

export type LiveKitConfig = z.output<typeof liveKitConfig>;

/** Whether everybody knows the secret, because it was not set: acceptable on a stack with a sandbox only. */
export const isKnownLiveKitSecret = ({ LIVEKIT_API_SECRET }: LiveKitConfig): boolean =>
  LIVEKIT_API_SECRET.reveal() === sandboxSecret;
