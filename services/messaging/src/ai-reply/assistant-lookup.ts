import { fillIn, getAssistant } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { asService, lookUp } from '@parley/service-kit';
import { z } from 'zod';
import { type Occasion, promptVariables } from './prompt-variables.ts';

export interface AnsweringAssistant {
  /** The prompt with its variables filled in. */
  readonly systemPrompt: string;
  readonly temperature: number;
}

const answer = z.object({
  data: z.object({
    system_prompt: z.string(),
    variables: z.record(z.string(), z.json()),
    timezone: z.string(),
    llm_temperature: z.coerce.number(),
  }),
});

/** Characters, more than any model takes: a variable may be repeated in a prompt ten thousand times. */
const maxPromptLength = 1024 * 1024;

/**
 * The assistant's present settings, whether it is active or not (new ones are inactive, and reply). `null` when it was
 * deleted.
 */
export async function lookUpAssistant(
  bus: BusClient,
  accountId: number,
  assistantId: number,
  correlationId: string,
  occasion: Occasion,
): Promise<AnsweringAssistant | null> {
  const query = { ...getAssistant, output: answer };
  const context = asService('messaging', accountId, correlationId);
  const found = await lookUp(bus, query, { id: assistantId }, context);
  if (!found) return null;
  const { system_prompt, variables, timezone, llm_temperature: temperature } = found.data;
  const known = { ...promptVariables(occasion, timezone), ...variables };
  return { systemPrompt: fillIn(system_prompt, known, maxPromptLength), temperature };
}
