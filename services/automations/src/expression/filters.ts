import { fromCallingFormat, inE164, isCountry } from '@parley/phone-numbers';
import type { JsonValue } from '../json.ts';
import type { Resolved } from '../run/step-class.ts';
import { dateFields, formatDate, parseInstant, unknownDateField } from './dates.ts';
import { value, wiringFault } from './fault.ts';

/** Applies a filter; `input` is undefined where the path leads to nothing. */
type Filter = (
  input: JsonValue | undefined,
  argument: JsonValue | undefined,
  timezone: string,
) => Resolved<JsonValue>;

interface FilterDefinition {
  readonly argument: 'none' | 'optional' | 'required';
  /** Set where the filter goes through all of its input, however large, which counts as effort. */
  readonly readsAll?: true;
  /**
   * Why nobody can have meant an argument. Told when a definition is checked; saved ones are worked out all the same.
   */
  readonly argumentFault?: (argument: JsonValue) => string | undefined;
  readonly apply: Filter;
}

const onText =
  (name: string, change: (text: string) => Resolved<JsonValue>): Filter =>
  (input) => {
    const text = textOf(input);
    return text === undefined ? mismatch(name, 'a text', input) : change(text);
  };

/** All filters: nothing else can be applied to a value. */
export const filters: Readonly<Record<string, FilterDefinition>> = {
  default: {
    argument: 'required',
    apply: (input, argument = null) => value(isBlank(input) ? argument : input),
  },
  upper: { argument: 'none', readsAll: true, apply: onText('upper', (text) => value(text.toUpperCase())) },
  lower: { argument: 'none', readsAll: true, apply: onText('lower', (text) => value(text.toLowerCase())) },
  trim: { argument: 'none', readsAll: true, apply: onText('trim', (text) => value(text.trim())) },
  url_encode: { argument: 'none', readsAll: true, apply: onText('url_encode', urlEncoded) },
  e164: { argument: 'optional', argumentFault: countryFault, apply: toE164 },
  number: { argument: 'none', readsAll: true, apply: toNumber },
  json: { argument: 'none', readsAll: true, apply: (input = null) => value(JSON.stringify(input)) },
  first: { argument: 'none', apply: first },
  length: { argument: 'none', apply: length },
  join: { argument: 'optional', readsAll: true, apply: join },
  date: { argument: 'optional', argumentFault: dateFormatFault, apply: date },
};

/** Whether `default` takes effect: nothing there, null, or an empty text. */
export const isBlank = (input: JsonValue | undefined): input is undefined | null | '' =>
  input === undefined || input === null || input === '';

/** A value as text; undefined for lists and objects, which have no single spelling. */
export function textOf(input: JsonValue | undefined): string | undefined {
  if (input === null || input === undefined) return '';
  return typeof input === 'object' ? undefined : String(input);
}

const kindOf = (input: JsonValue | undefined): string =>
  Array.isArray(input)
    ? 'a list'
    : input === null
      ? 'nothing'
      : input === undefined
        ? 'missing'
        : `a ${typeof input}`;

const mismatch = (filter: string, wanted: string, input: JsonValue | undefined) =>
  wiringFault('TYPE_MISMATCH', `The filter ${filter} needs ${wanted}; the value is ${kindOf(input)}.`);

/**
 * Encodes a text as one segment of a path, or one value of a query. Half a surrogate pair becomes U+FFFD, since it has
 * no encoding.
 */
function urlEncoded(text: string): Resolved<JsonValue> {
  return value(encodeURIComponent(text.toWellFormed()));
}

function countryFault(argument: JsonValue): string | undefined {
  const isKnown = isCountry(textOf(argument) ?? '');
  return isKnown ? undefined : "The filter e164 takes a country by its two letters: 'DE'.";
}

/**
 * Reads a phone number as people write and paste it: with spaces, dots, brackets, hyphens of all kinds and marks that
 * nobody sees, and `(0)` behind the country code. Where a country is named, also as it is dialed there.
 */
function toE164(input: JsonValue | undefined, country: JsonValue | undefined): Resolved<JsonValue> {
  const text = textOf(input);
  if (text === undefined) return mismatch('e164', 'a text', input);
  const digits = text
    .slice(0, 64)
    .replace(/[\s()./\p{Pd}\p{Cf}]/gu, '')
    .replace(/^00/, '+');
  const known = country === undefined ? undefined : (textOf(country) ?? '');
  const phoneNumber = known === undefined ? inE164(digits) : fromCallingFormat(digits, known);
  if (phoneNumber !== undefined) return value(phoneNumber);
  const orAtHome = known === undefined ? '' : `, or one of ${known}`;
  return wiringFault(
    'INVALID_PHONE',
    `The filter e164 needs a phone number with its country code${orAtHome}.`,
  );
}

function toNumber(input: JsonValue | undefined): Resolved<JsonValue> {
  if (typeof input === 'number') return value(input);
  const text = typeof input === 'string' ? input.trim() : '';
  return /^[+-]?\d{1,300}(\.\d{1,300})?(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? value(Number(text))
    : mismatch('number', 'a number', input);
}

function first(input: JsonValue | undefined): Resolved<JsonValue> {
  if (Array.isArray(input)) return value((input as readonly JsonValue[])[0] ?? null);
  if (typeof input !== 'string') return mismatch('first', 'a list or a text', input);
  const [character = ''] = input;
  return value(character);
}

function length(input: JsonValue | undefined): Resolved<JsonValue> {
  if (Array.isArray(input) || typeof input === 'string') return value(input.length);
  return mismatch('length', 'a list or a text', input);
}

function join(input: JsonValue | undefined, argument: JsonValue = ', '): Resolved<JsonValue> {
  if (!Array.isArray(input)) return mismatch('join', 'a list', input);
  const texts = (input as readonly JsonValue[]).map(textOf);
  return texts.includes(undefined)
    ? mismatch('join', 'a list of texts', input)
    : value(texts.join(textOf(argument) ?? ', '));
}

function dateFormatFault(argument: JsonValue): string | undefined {
  const unknown = unknownDateField(textOf(argument) ?? '');
  return unknown && `The filter date knows ${dateFields.join(', ')}; ${unknown} would stay as it is written.`;
}

function date(
  input: JsonValue | undefined,
  argument: JsonValue | undefined,
  timezone: string,
): Resolved<JsonValue> {
  const instant = parseInstant(input, timezone);
  if (instant === undefined) return mismatch('date', 'an ISO 8601 date and time', input);
  return value(
    argument === undefined ? instant.toISOString() : formatDate(instant, textOf(argument) ?? '', timezone),
  );
}
