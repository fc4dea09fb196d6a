import { parseForeignJson } from './foreign-json.ts';

/** A string, whose digits are its own, or a number; of valid JSON. */
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|[-\d][-+.\deE]*/g;

/** Whether a number, as JSON has it, is a whole one that would be written with other digits once it is read. */
export const losesDigits = (number: string): boolean =>
  number.length > 15 && /^-?\d+$/.test(number) && String(Number(number)) !== number;

/** The same of any number in a valid JSON text. */
export const losesAnyDigits = (json: string): boolean =>
  json.match(stringOrNumber)?.some(losesDigits) ?? false;

/** Whether it is read as infinite, which JSON cannot say: written again, it would be `null`. */
const isTooLarge = (number: string): boolean => Math.abs(Number(number)) === Number.POSITIVE_INFINITY;

const mayHoldAny = /\d{16}|e\+?\d{3}/i;

/**
 * JSON of others that nobody can be asked to send otherwise: a whole number that would lose digits, as an order's may, is
 * the text of them, and so is a number that is too large for any. All else is as `parseForeignJson` reads it. Throws
 * where the text is no JSON.
 */
export function parseWithAllDigits(text: string): unknown {
  const value = parseForeignJson(text);
  if (!mayHoldAny.test(text)) return value;
  const kept = text.replace(stringOrNumber, (part) =>
    losesDigits(part) || isTooLarge(part) ? `"${part}"` : part,
  );
  return kept === text ? value : parseForeignJson(kept);
}
