import { textUpTo } from './text.ts';

/** `Intl` knows these as well. IANA does not, and what most of them mean depends on who is asked: `IST`, `BST`, `CST`. */
const abbreviations: ReadonlySet<string> = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(
    ' ',
  ),
);
const isAbbreviation = (name: string): boolean => abbreviations.has(name.toUpperCase());

const nameByIntl = (name: string): string =>
  new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;

/** `Intl` also takes offsets such as `+01:00`, which name no zone. */
const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name) || isAbbreviation(name)) return false;
  try {
    return nameByIntl(name) !== '';
  } catch {
    return false;
  }
};

/** The name of an IANA time zone, for example `Europe/Berlin`. */
export const timeZone = () =>
  textUpTo(64).refine(isTimeZone, { error: 'The :attribute field must be an IANA time zone.' });

/** IANA's name of a recorded time zone: abbreviations were taken before, and `Temporal` takes none. */
export const ianaTimeZone = (name: string): string => (isAbbreviation(name) ? nameByIntl(name) : name);
