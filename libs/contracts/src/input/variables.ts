import { z } from 'zod';
import { textUpTo } from './text.ts';

/**
 * Whether a value, and everything inside it, is well: keys of objects are asked about too. The places of a list are no
 * keys: naming each costs ten times what all the rest does, and a body holds more than a hundred thousand of them.
 */
function isAll(value: unknown, isWell: (value: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return isWell(value);
  if (Array.isArray(value)) return value.every((child) => isAll(child, isWell));
  return Object.entries(value).every(([key, child]) => isWell(key) && isAll(child, isWell));
}

/** Postgres stores neither NUL nor lone surrogates (decisions, section 1 "Text"); depth is bounded by the body's. */
const isStorable = (value: unknown): boolean =>
  typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000'));

/** Of a value that is nested no deeper than a body may be. */
export const isStorableJson = (value: unknown): boolean => isAll(value, isStorable);

/** Postgres writes an exponent out: five bytes (`1e308`) would become 309 digits in everything that shows them. */
const isWithoutExponent = (value: unknown): boolean =>
  typeof value !== 'number' || !String(value).includes('e');

/** Custom variables that a service knows and hands on, whatever was allowed when they were recorded. */
export const knownVariables = () =>
  z.record(textUpTo(255), z.json()).refine(isStorableJson, {
    error: 'The :attribute field must be well-formed Unicode without NUL characters.',
  });

const numbers = 'Numbers are 0 or, apart from their sign, at least 0.000001 and less than 1e21.';

/**
 * Custom variables as they are sent in: any JSON value under names of 1 to 255 characters. `about` says what they are
 * for, in a sentence.
 */
export const variables = (about?: string) =>
  knownVariables()
    .refine((value) => isAll(value, isWithoutExponent), {
      error: 'The :attribute field must not hold numbers of 1e21 or more, or between 0 and 0.000001.',
    })
    .meta({ description: about === undefined ? numbers : `${about} ${numbers}` });
