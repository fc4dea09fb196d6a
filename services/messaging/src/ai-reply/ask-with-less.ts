import type { Said } from '../views/conversation-history.ts';
import type { Completion, CompletionRequest, LanguageModel } from './language-model.ts';
import { goesBack, promptFor } from './prompt.ts';

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
 * the earlier half of what precedes the message, until nothing precedes it, and at last without what the message goes
 * back to: else one such text would keep the contact from ever being answered again.
 */
export async function askWithLess(
  model: LanguageModel,
  { systemPrompt, history, ...request }: Asked,
): Promise<Completion> {
  const completion = await model.complete({ ...request, turns: promptFor(systemPrompt, history) });
  const less = completion.kind === 'said' ? null : lessOf(history);
  return less ? askWithLess(model, { ...request, systemPrompt, history: less }) : completion;
}

/** The history with less beside the message to be answered; null when only the message is left. */
function lessOf(history: readonly Said[]): readonly Said[] | null {
  const before = history.findLastIndex(({ direction }) => direction === 'inbound');
  if (before > 0) return history.slice(Math.ceil(before / 2));
  return history.some(goesBack) ? history.map((said) => ({ ...said, references: null })) : null;
}
