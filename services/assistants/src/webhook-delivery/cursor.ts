/** A place in a list that goes back in the log, as clients see it: opaque text. */
export const writeCursor = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

/**
 * The position before which the list goes on: the largest number when there is no cursor; undefined when the text is
 * not a cursor that a list gave.
 */
export function readCursor(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER;
  const digits = /^p([1-9]\d{0,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))?.[1];
  const position = Number(digits);
  return Number.isSafeInteger(position) && writeCursor(position) === cursor ? position : undefined;
}
