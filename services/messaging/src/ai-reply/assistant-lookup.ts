import { getAssistant, subjectOf } from '@parley/contracts';
import type { BusClient } from '@parley/message-bus';
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
  const reply = await bus.request({
    service: getAssistant.service,
    subject: subjectOf(getAssistant),
    payload: JSON.stringify({ id: assistantId }),
    context: {
      accountId,
      actor: { kind: 'system', id: 'messaging' },
      commandId: null,
      fingerprint: null,
      correlationId,
      expectedVersion: null,
      baseUrl: null,
      timeoutMs: 3_000,
    },
  });
  if (reply.kind === 'rejected') {
    if (reply.rejection.code === 'not_found') return null;
    throw new Error(`assistants: ${reply.rejection.code}`);
  }
  const { data } = answer.parse(JSON.parse(reply.body));
  return { systemPrompt: data.system_prompt, temperature: data.llm_temperature };
}
