import { nationalFormOf } from '@parley/phone-numbers';
import type { Person } from './destroy-keys.ts';

/** Shorter ones, of countries that have no 0 before them, are any number: an id, or an amount of money. */
const isTelling = (nationalForm: string): boolean => /^0|.{9}/.test(nationalForm);

/** For `isMentionedIn`: what a text that mentions the person contains, and, in Postgres's form, how it stands there. */
export function mentionsOf({ phoneNumbers }: Pick<Person, 'phoneNumbers'>): [string[], string[]] {
  const names = phoneNumbers.map((phoneNumber) => phoneNumber.replace('+', ''));
  const national = phoneNumbers.flatMap((phoneNumber) => nationalFormOf(phoneNumber) ?? []).filter(isTelling);
  return [
    [...names, ...national].map((name) => `%${name}%`),
    [...names.map(asWhole), ...national.map(asNational)],
  ];
}

/** Whether an SQL text mentions the person, by the two parameters of `mentionsOf`: most do not even contain the digits. */
export const isMentionedIn = (text: string, contained: string, whole: string): string =>
  `(${text} like any(${contained}::text[]) and ${text} ~ any(${whole}::text[]))`;

/** The same for texts in memory: one that any of these matches mentions the person. */
export const mentionPatterns = ({ phoneNumbers }: Pick<Person, 'phoneNumbers'>): readonly RegExp[] =>
  mentionsOf({ phoneNumbers })[1].map((whole) => new RegExp(whole));

/**
 * However a number is written around its digits: E.164, with another prefix or none, URL-encoded, after what JSON
 * escapes. Another one that begins or ends with the same digits is somebody else's, as with names of who hides theirs.
 */
function asWhole(name: string): string {
  const before = String.raw`(^|[^0-9]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})(00|011)?`;
  const goesOn = name.includes('.') ? '0-9A-Za-z' : '0-9';
  return `${before}${name.replaceAll('.', '[.]')}($|[^${goesOn}])`;
}

/** As carriers tell of callers at home. After a plus the same digits are a number of another country. */
const asNational = (name: string): string => `(?<![0-9+]|%2[Bb])${name}(?![0-9])`;
