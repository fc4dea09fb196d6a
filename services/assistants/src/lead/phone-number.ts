import { isPhoneNumber, spellingsOf } from '@parley/phone-numbers';

/** What is wrong with a phone number; undefined when it is a valid one, written in E.164. */
export const phoneNumberFault = (text: string): string | undefined =>
  isPhoneNumber(text) ? undefined : 'The phone number must be a valid E.164 number.';

/** One spelling that stands for all spellings of a line. */
export const lineOf = (phoneNumber: string): string => spellingsOf(phoneNumber)[0];

export const isSameLine = (one: string, other: string): boolean => lineOf(one) === lineOf(other);
