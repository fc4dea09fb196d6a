import { isCountry } from '@parley/phone-numbers';
import { z } from 'zod';

export type NumberType = 'local' | 'mobile' | 'toll_free';

/** A number as settings tell numbers apart. */
export interface NumberKind {
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly type: NumberType;
}

const entry = /^(([A-Z]{2}|\*)(?: (?:local|mobile|toll_free))?)=(.+)$/;

/**
 * A setting that differs by what number it is for: `DE=…,DE mobile=…,*=…`, by country or `*`, and type where that
 * matters. `read` gives what a value means, `undefined` if nothing; `expected` says in messages what an entry is.
 */
export const byNumberKind = <T>(read: (value: string) => T | undefined, expected: string) =>
  z.string().transform((list, context): ReadonlyMap<string, T> => {
    const values = new Map<string, T>();
    for (const text of list.split(',').map((one) => one.trim())) {
      const [, kind = '', country = '', written = ''] = entry.exec(text) ?? [];
      const value = read(written);
      const isSomewhere = country === '*' || isCountry(country);
      if (isSomewhere && value !== undefined && !values.has(kind)) values.set(kind, value);
      else context.addIssue(`${JSON.stringify(text)} is not ${expected}, by ISO 3166 country, told once.`);
    }
    return values;
  });

/** What such a setting says for a number: what is told for its type in its country comes first, then its country. */
export const closestTo = <T>(values: ReadonlyMap<string, T>, { country, type }: NumberKind): T | undefined =>
  values.get(`${country} ${type}`) ?? values.get(country) ?? values.get(`* ${type}`) ?? values.get('*');
