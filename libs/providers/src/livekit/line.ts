/** What LiveKit takes for a telephone number. It compares anything else literally, as a name. */
const number = /^\+?[\d\- ()]+$/;

/** A trunk's number in one spelling: LiveKit ignores whether the plus is there, and punctuation (`NormalizeNumber`). */
export const lineOf = (written: string): string =>
  number.test(written) ? `+${written.replaceAll(/\D/g, '')}` : written;

/**
 * All spellings to look for trunks by: LiveKit's earlier versions find only the spelling that a trunk was written with.
 */
export const spellingsOf = (written: string): string[] => {
  const line = lineOf(written);
  return [...new Set([written, line, line.replace(/^\+/, '')])];
};
