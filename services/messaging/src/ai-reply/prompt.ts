import type { MessageReferral } from '@parley/contracts';
import type { Said } from '../views/conversation-history.ts';

/** A turn of a conversation as the chat-completions format has it. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * The turns that the model is shown: the assistant's system prompt, unless blank, and the conversation. The contact's
 * last message, which is to be answered, comes last, and what was said in a row is one turn: some models refuse
 * anything else.
 */
export function promptFor(systemPrompt: string, history: readonly Said[]): readonly Turn[] {
  const system: Turn[] = systemPrompt.trim() === '' ? [] : [{ role: 'system', content: systemPrompt }];
  return [...system, ...merged(questionLast(history).map(turnOf))];
}

function questionLast(history: readonly Said[]): readonly Said[] {
  const question = history.findLast(({ direction }) => direction === 'inbound');
  return question ? [...history.filter((said) => said !== question), question] : history;
}

const turnOf = (said: Said): Turn => ({
  role: said.direction === 'inbound' ? 'user' : 'assistant',
  content: [...asidesOf(said).map((aside) => `[${aside}]`), said.text].join('\n'),
});

function merged(turns: readonly Turn[]): readonly Turn[] {
  const all: Turn[] = [];
  for (const turn of turns) {
    const before = all.at(-1)?.role === turn.role ? all.pop() : undefined;
    all.push(before ? { ...turn, content: `${before.content}\n\n${turn.content}` } : turn);
  }
  return all;
}

/** Whether the model is told what a message goes back to. */
export const goesBack = (said: Said): boolean => asidesOf(said).length > 0;

/** So many characters of a message that another one goes back to. */
const maxQuoted = 300;

/** What a contact's message goes back to, in words. */
function asidesOf({ kind, references, quoted }: Said): readonly string[] {
  if (!references) return [];
  const { in_reply_to_sid, is_forwarded, referral } = references;
  return [
    ...(referral ? adOf(referral) : []),
    ...(is_forwarded ? ['Forwarded'] : []),
    ...(in_reply_to_sid === null ? [] : [`${verbOf(kind)} ${quoteOf(quoted)}`]),
  ];
}

const verbOf = (kind: string | undefined): string =>
  kind === 'reaction' ? 'Reacts to' : kind === 'edit' ? 'Corrects' : 'In reply to';

function quoteOf(quoted: string | null | undefined): string {
  if (!quoted) return 'an earlier message, whose words are not known';
  const characters = [...quoted];
  return `“${characters.slice(0, maxQuoted).join('')}${characters.length > maxQuoted ? '…' : ''}”`;
}

function adOf({ source_type, headline, body, source_url, welcome_message }: MessageReferral): string[] {
  const words = [headline, body, source_url].filter(Boolean).join(' – ');
  return [
    ...(words ? [`Came by the ${source_type === 'post' ? 'post' : 'ad'}: ${words}`] : []),
    ...(welcome_message ? [`Was greeted there with “${welcome_message}”`] : []),
  ];
}
