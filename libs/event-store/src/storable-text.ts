/** The text as the log, and any table of Postgres, can hold it: U+FFFD stands for each NUL and each half of a character. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
