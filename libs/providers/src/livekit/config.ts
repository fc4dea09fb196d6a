import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandboxKey = 'sandbox-livekit';
const sandboxSecret = 'sandbox-livekit-secret-of-32-characters';

/** Keys of a process that talks to LiveKit; the defaults are those of the sandbox on this machine. */
export const liveKitConfig = z.object({
  /** `https://<project>.livekit.cloud` in production; the sandbox when absent. */
  LIVEKIT_URL: z.url({ protocol: /^(https?|wss?)$/ }).optional(),
  LIVEKIT_API_KEY: z.string().default(sandboxKey),
  /** Also signs the platform's callbacks. */
  LIVEKIT_API_SECRET: secret(sandboxSecret),
  /** The agent that speaks in rooms. */
  LIVEKIT_AGENT_NAME: z.string().default('parley'),
});

export type LiveKitConfig = z.output<typeof liveKitConfig>;

/** The keys without which only a sandbox can be talked to, or whose values everybody knows, because they were not set. */
export const unsetLiveKitKeys = (config: LiveKitConfig): readonly (keyof LiveKitConfig)[] => [
  ...(config.LIVEKIT_URL === undefined ? (['LIVEKIT_URL'] as const) : []),
  ...(config.LIVEKIT_API_KEY === sandboxKey ? (['LIVEKIT_API_KEY'] as const) : []),
  ...(config.LIVEKIT_API_SECRET.reveal() === sandboxSecret ? (['LIVEKIT_API_SECRET'] as const) : []),
];
