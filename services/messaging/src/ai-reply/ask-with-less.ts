import type { Said } from '../views/conversation-history.ts';
import type { Completion, CompletionRequest, LanguageModel } from './language-model.ts';
import { promptFor } from './prompt.ts';

export interface Asked extends Omit<CompletionRequest, 'turns'> {
  readonly systemPrompt: string;
  /** Up to the message to be answered, which is the last one of the contact, and what was answered since. */
  readonly history: readonly Said[];
}

/**
 * What a model says to a conversation. One that it refuses, as for its length, or for something in it that the model does
 * not hear, is shown without the earlier half of what came before the message, as often as there is one: else nothing
 * that the contact writes would be answered any more.
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
