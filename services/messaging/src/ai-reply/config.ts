import { sandboxOnly, secret } from '@parley/process-kit';
import { z } from 'zod';

/** Environment keys of the language model: any OpenAI-compatible endpoint. */
export const languageModelConfig = z.object({
  /** Up to and including the version, for example `https://api.openai.com/v1`; the sandbox's when absent. */
  LLM_BASE_URL: sandboxOnly(z.url({ protocol: /^https?$/ }).optional()),
  LLM_API_KEY: sandboxOnly(secret('sandbox-openai-key')),
  LLM_MODEL: z.string().min(1).default('gpt-4o-mini'),
  /** Milliseconds for one request. Reasoning models may need more than the default. */
  LLM_TIMEOUT_MS: z.coerce.number().int().min(100).max(25_000).default(8_000),
});
