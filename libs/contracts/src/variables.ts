import { z } from 'zod';
import { textUpTo } from './text.ts';

/** Postgres stores neither NUL nor lone surrogates (decisions, section 1 "Text"); depth is bounded by the body's. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\u0000');
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, child]) => isStorable(key) && isStorable(child));
}

/** Custom variables: any JSON value under names of 1 to 255 characters. */
export const variables = () =>
  z.record(textUpTo(255), z.json()).refine(isStorable, {
    error: 'The :attribute field must be well-formed Unicode without NUL characters.',
  });
