/** What LiveKit takes for a telephone number; anything else is a name, and compared as it is. */
const number = /^\+?[\d\- ()]+$/;

/** The line that a trunk's number stands for: to LiveKit the same with or without its plus (`NormalizeNumber`). */
export const lineOf = (written: string): string =>
  number.test(written) ? `+${written.replaceAll(/\D/g, '')}` : written;

/** As LiveKit is asked for trunks with a number: earlier versions find only what is written like that. */
export const spellingsOf = (written: string): string[] => {
  const line = lineOf(written);
  return [...new Set([written, line, line.replace(/^\+/, '')])];
};
