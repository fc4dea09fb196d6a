/** The text with U+FFFD for each NUL and each lone surrogate, which the log, as any table of Postgres, cannot hold. */
export const replaceUnstorable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');
