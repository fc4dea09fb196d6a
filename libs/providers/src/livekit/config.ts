import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/** Environment keys of a process that talks to LiveKit; the defaults are those of the sandbox on this machine. */
export const liveKitConfig = z.object({
  /** `https://<project>.livekit.cloud` in production; the sandbox when absent. */
  LIVEKIT_URL: sandboxOnly(z.url({ protocol: /^(https?|wss?)$/ }).optional()),
  LIVEKIT_API_KEY: sandboxOnly(z.string().default('sandbox-livekit')),
  /** Secret of the API key; also signs the platform's callbacks. */
  LIVEKIT_API_SECRET: sandboxOnly(secret('sandbox-livekit-secret-of-32-characters')),
  /** Name of the agent that is sent into the rooms; the same for all installations that share a project. */
  LIVEKIT_AGENT_NAME: z.string().default('parley'),
});
