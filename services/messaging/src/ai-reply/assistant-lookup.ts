import { getAssistant } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
import { asService, lookUp } from '@parley/service-kit';
import { z } from 'zod';

export interface AnsweringAssistant {
  readonly systemPrompt: string;
  readonly temperature: number;
}

const answer = z.object({
  data: z.object({ system_prompt: z.string(), llm_temperature: z.coerce.number() }),
});

/** The assistant as its account has set it now, active or not: new ones are inactive, and answer. `null` when it is gone. */
export async function lookUpAssistant(
  bus: BusClient,
  accountId: number,
  assistantId: number,
  correlationId: string,
): Promise<AnsweringAssistant | null> {
  const query = { ...getAssistant, output: answer };
  const context = asService('messaging', accountId, correlationId);
  const found = await lookUp(bus, query, { id: assistantId }, context);
  return found && { systemPrompt: found.data.system_prompt, temperature: found.data.llm_temperature };
}
