import { textUpTo } from './text.ts';

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The name of an IANA time zone, for example `Europe/Berlin`. */
export const timeZone = () =>
  textUpTo(64).refine(isTimeZone, { error: 'The :attribute field must be an IANA time zone.' });
