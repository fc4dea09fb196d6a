import { z } from 'zod';

// `:attribute` in a message stands for the field's name (`field-errors.ts`).

/** Text Postgres and every client can hold: well-formed Unicode without NUL (decisions, section 1). */
export const text = () =>
  z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'), {
    error: 'The :attribute field must be well-formed Unicode without NUL characters.',
    abort: true,
  });

/** What others wrote, as `text` takes it: without NUL, and U+FFFD for each lone surrogate. Never refuses anything. */
export const dropUnstorable = (written: string): string => written.toWellFormed().replaceAll('\u0000', '');

/** Text of `min` to `max` characters, counted as Unicode code points. */
export const textUpTo = (max: number, min = 1) =>
  text()
    .refine((value) => hasCodePoints(value, min, max), {
      error: ({ input }) => lengthError(input, min, max),
    })
    .meta({ minLength: min, maxLength: max });

/** The same with something in it to be read: a text of blanks alone is none. */
export const writtenUpTo = (max: number) =>
  textUpTo(max)
    .refine((value) => value === '' || value.trim() !== '', { error: 'The :attribute field is required.' })
    .meta({ pattern: '\\S' });

/** Whom a message is to, for the gaps of templates and for lists; an empty one is none. */
export const recipientName = () =>
  textUpTo(255, 0)
    .nullish()
    .describe("The recipient's name, as it is shown and filled into templates; empty is none.");

function lengthError(value: unknown, min: number, max: number): string {
  if (value === '') return 'The :attribute field is required.';
  return typeof value === 'string' && value.length <= max
    ? `The :attribute field must be at least ${min} characters.`
    : `The :attribute field must not be greater than ${max} characters.`;
}

/** Counts code points without building an array; a code unit count bounds the loop for hostile input. */
export function hasCodePoints(value: string, min: number, max: number): boolean {
  if (value.length > max * 2 || value.length < min) return false;
  let count = 0;
  for (const _ of value) count += 1;
  return count >= min && count <= max;
}

const integerError = { error: 'The :attribute field must be an integer.' };

/** Paths and queries carry text, the bus carries numbers: both are read, so that a message validates as it was sent. */
const readDecimal = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
/** Stricter: an id has one spelling only. */
const readId = (value: unknown): unknown =>
  typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value;

/** An id in a path: anything that is not a positive safe integer cannot exist, so the answer is "not found". */
export const pathId = () => z.preprocess(readId, z.int(integerError).positive());

/** The same of what answers show as text: documents call it text in paths too. */
export const pathTextId = () =>
  z.preprocess(
    (value) => (typeof value === 'number' ? String(value) : value),
    z
      .string()
      .regex(/^[1-9]\d{0,15}$/)
      .transform(Number)
      .pipe(z.int()),
  );

/** An id in a body. */
export const bodyId = () => z.int(integerError).positive();

/** A phone number in a query string, where a plus sign that was not encoded arrives as a space; its service checks it. */
export const queryPhone = () =>
  z.preprocess((value) => (typeof value === 'string' ? value.replace(/^ /, '+') : value), text());

/** The name of a resource in a query string; one that ends with a phone number is `permission/3:+491701234567`. */
export const queryResource = () =>
  z.preprocess(
    (value) => (typeof value === 'string' ? value.replace(/: (?=\d+$)/, ':+') : value),
    textUpTo(128),
  );

/** A page parameter of a query string: a decimal integer within `min` to `max`. */
export const pageParameter = (fallback: number, min: number, max: number) =>
  z.preprocess(readDecimal, z.int(integerError).min(min).max(max)).default(fallback);

/** Which page of a list: counted from 1. */
export const pageNumber = () => pageParameter(1, 1, 1_000_000).describe('Which page, counted from 1.');

/** How long a page of a list is. */
export const perPage = (fallback: number) =>
  pageParameter(fallback, 1, 100).describe('How many a page holds at most.');

/** Where a list goes on that has a `cursor`. */
export const nextCursor = () =>
  z.string().nullable().describe('`cursor` of the next page; null on the last one.');

/** A time in a query string, where the plus sign of an offset arrives as a space when it was not encoded. */
export const queryTime = <T extends z.ZodType>(time: T) =>
  z.preprocess((value) => (typeof value === 'string' ? value.replace(/ (?=\d\d:\d\d$)/, '+') : value), time);

/** A moment to look back to: a position as `X-Event-Position` and histories show it, or an ISO 8601 time. */
export const asOf = () =>
  queryTime(textUpTo(64))
    .meta({ description: 'A position as histories show it, or an ISO 8601 time: the answer as it was then.' })
    .optional();

/** A moment that is kept, in any offset: the year has four digits in UTC as well, or Postgres could not hold it. */
export const moment = () =>
  z.iso
    .datetime({ offset: true, error: 'The :attribute field must be an ISO 8601 time.', abort: true })
    .refine((value) => /^\d{4}-/.test(new Date(value).toISOString()), {
      error: 'The :attribute field must be within the years 0 to 9999 in UTC.',
    });
