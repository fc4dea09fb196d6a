import type { Said } from '../views/conversation-history.ts';
import type { Completion, CompletionRequest, LanguageModel } from './language-model.ts';
import { promptFor } from './prompt.ts';

export interface Asked extends Omit<CompletionRequest, 'turns'> {
  readonly systemPrompt: string;
  /**
   * The conversation up to the contact's message to be answered, which is the contact's last in it, and what was
   * answered since.
   */
  readonly history: readonly Said[];
}

/**
 * Asks the model for a reply. When it refuses, for the length or for something said earlier, it is asked again without
 * the earlier half of what precedes the message, until nothing precedes it: else one such text would keep the contact
 * from ever being answered again.
 */
export async function askWithLess(
  model: LanguageModel,
  { systemPrompt, history, ...request }: Asked,
): Promise<Completion> {
  const completion = await model.complete({ ...request, turns: promptFor(systemPrompt, history) });
  const before = history.findLastIndex(({ direction }) => direction === 'inbound');
  if (completion.kind === 'said' || before <= 0) return completion;
  const less = history.slice(Math.ceil(before / 2));
  return askWithLess(model, { ...request, systemPrompt, history: less });
}
