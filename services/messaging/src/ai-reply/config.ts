import { secret } from '@parley/process-kit';
import { z } from 'zod';

const sandboxKey = 'sandbox-openai-key';

/** Any OpenAI-compatible endpoint. */
export const languageModelConfig = z.object({
  /** Up to and including the version, for example `https://api.openai.com/v1`; the sandbox's when absent. */
  LLM_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  LLM_API_KEY: secret(sandboxKey),
  LLM_MODEL: z.string().min(1).default('gpt-4o-mini'),
  LLM_TIMEOUT_MS: z.coerce.number().int().min(100).max(9_000).default(8_000),
});
type LanguageModelConfig = z.output<typeof languageModelConfig>;

/** The keys without which only a sandbox can be talked to. */
export const unsetLanguageModelKeys = (
  config: LanguageModelConfig,
): readonly (keyof LanguageModelConfig)[] => [
  ...(config.LLM_BASE_URL === undefined ? (['LLM_BASE_URL'] as const) : []),
  ...(config.LLM_API_KEY.reveal() === sandboxKey ? (['LLM_API_KEY'] as const) : []),
];
