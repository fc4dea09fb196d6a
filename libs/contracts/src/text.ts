import { z } from 'zod';

/** Text Postgres and every client can hold: well-formed Unicode without NUL (decisions, section 1). */
export const text = () =>
  z.string().refine((value) => value.isWellFormed() && !value.includes('\u0000'), {
    error: 'The text must be well-formed Unicode without NUL characters.',
    abort: true,
  });

/** Text of `min` to `max` characters, counted as Unicode code points. */
export const textUpTo = (max: number, min = 1) =>
  text().refine((value) => hasCodePoints(value, min, max), {
    error:
      min > 0
        ? `The text must be ${min} to ${max} characters long.`
        : `The text must be at most ${max} characters long.`,
  });

/** Counts code points without building an array; a code unit count bounds the loop for hostile input. */
function hasCodePoints(value: string, min: number, max: number): boolean {
  if (value.length > max * 2 || value.length < min) return false;
  let count = 0;
  for (const _ of value) count += 1;
  return count >= min && count <= max;
}

/** An id in a path: anything that is not a positive safe integer cannot exist, so the answer is "not found". */
export const pathId = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .refine(Number.isSafeInteger);

/** An id in a body. */
export const bodyId = () => z.int().positive();

/** A page parameter of a query string: a decimal integer within `min` to `max`. */
export const pageParameter = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, { error: 'The value must be an integer.' })
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .default(fallback);

/** An amount of money on the API: a decimal string, up to six decimals, for example `"12.50"`. */
export const decimalAmount = () => z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/);
