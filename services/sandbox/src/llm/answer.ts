/** A conversation's message as far as the stand-in reads it. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

const longestEcho = 500;

/** The stand-in's reply: always the same for the same conversation, and it shows what the customer said. */
export function replyTo(messages: readonly ChatMessage[]): string {
  const question = messages.findLast(({ role }) => role === 'user')?.content.trim() ?? '';
  if (question === '') return 'Hello! How can I help you?';
  const echo = [...question].slice(0, longestEcho).join('');
  return `Thank you for your message: “${echo}” How else can I help you?`;
}

/** About four characters a token, as a rule of thumb; enough for a usage that grows with the text. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

const wordsOf = /\S+\s*/g;

/** The reply in the pieces in which it is streamed. */
export const piecesOf = (reply: string): readonly string[] => reply.match(wordsOf) ?? [];
