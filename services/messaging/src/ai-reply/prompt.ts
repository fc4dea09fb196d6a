import type { Said } from '../views/conversation-history.ts';

/** A turn of a conversation as the chat-completions format has it. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The turns that the model is shown: the assistant's system prompt, unless blank, and the conversation. */
export function promptFor(systemPrompt: string, history: readonly Said[]): readonly Turn[] {
  const turns = history.map(
    ({ direction, text }): Turn => ({ role: direction === 'inbound' ? 'user' : 'assistant', content: text }),
  );
  const system: Turn[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  return [...system, ...turns];
}
