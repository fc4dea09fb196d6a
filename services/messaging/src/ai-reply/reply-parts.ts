/** Characters (UTF-16) that a message of the chat platform holds. */
const maxLength = 4_096;
/** Messages that one reply may be. */
const maxParts = 4;

/** Code points of a reply that are sent at most. */
export const maxCharacters = maxLength * maxParts;

/** What a message may end with, best first: a paragraph, a line, a sentence, a word. */
const ends = [/\n\s*\n/g, /\n/g, /[.!?…。！？]\s/g, /\s/g];

/**
 * The messages that a reply is sent as: one, unless the text is longer than the platform takes. What a model says
 * beyond the last is left out.
 */
export function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let rest = text;
  do {
    const end = endOf(rest);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  } while (rest !== '' && parts.length < maxParts);
  return parts;
}

/** Where the first message ends: as late as can be, but with more than half of what it holds. */
function endOf(text: string): number {
  if (text.length <= maxLength) return text.length;
  const room = text.slice(0, maxLength);
  for (const end of ends) {
    const last = [...room.matchAll(end)].at(-1);
    if (last && last.index > maxLength / 2) return last.index + last[0].length;
  }
  // Not within a character that is two of UTF-16.
  return /[\uD800-\uDBFF]$/.test(room) ? maxLength - 1 : maxLength;
}
