/** A turn of a conversation as the chat-completions format has it. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** A message of the conversation, oldest first. */
export interface HistoryMessage {
  readonly id: number;
  readonly direction: 'inbound' | 'outbound';
  readonly text: string | null;
}

/** What the model is shown: the assistant's instructions, and the conversation up to the message to be answered. */
export function promptFor(
  systemPrompt: string,
  history: readonly HistoryMessage[],
  answeredId: number,
): readonly Turn[] {
  // Ids say nothing about the order: each copy of the service gives out a block of its own.
  const answered = history.findIndex(({ id }) => id === answeredId);
  const turns = history.flatMap(({ direction, text }, index): Turn[] => {
    if (text === null || (direction === 'inbound' && index > answered)) return [];
    return [{ role: direction === 'inbound' ? 'user' : 'assistant', content: text }];
  });
  const system: Turn[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  return [...system, ...turns];
}
