import { textUpTo } from './text.ts';

/** `Intl` also takes offsets such as `+01:00`, which name no zone. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The name of an IANA time zone, for example `Europe/Berlin`. */
export const timeZone = () =>
  textUpTo(64).refine(isTimeZone, { error: 'The :attribute field must be an IANA time zone.' });
