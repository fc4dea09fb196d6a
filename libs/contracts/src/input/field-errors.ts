import type { z } from 'zod';

/** What was wrong with which field, as the API says it: `secondary_contacts.0.phone_number` for a field of an array. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Nobody reads more, and a hostile body must not grow into a larger answer. */
const maxFaults = 100;
/** Names of fields may come from the body, and be nearly as long. */
const maxNameLength = 300;
const maxMessageLength = 1_000;

/** Zod's findings about `input` as sentences for people, by field. The same on the edge and in every service. */
export const fieldErrors = (error: z.ZodError, input: unknown): FieldErrors =>
  collectFaults(
    error.issues.slice(0, maxFaults).map((issue) => {
      const field = issue.path.map(String).join('.') || 'body';
      const attribute = asWords(clip(field, maxNameLength));
      const message = sentence(issue, isMissing(input, issue.path)).replaceAll(':attribute', () => attribute);
      return { field, message };
    }),
  );

/** Faults by field: the first hundred, and what is long is cut. */
export function collectFaults(
  faults: Iterable<{ readonly field: string; readonly message: string }>,
): FieldErrors {
  const byField = new Map<string, string[]>();
  for (const { field, message } of Iterator.from(faults).take(maxFaults)) {
    const name = clip(field, maxNameLength);
    byField.set(name, [...(byField.get(name) ?? []), clip(message, maxMessageLength)]);
  }
  return Object.fromEntries(byField);
}

const clip = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;

/** A key as messages say it: `webhook_url` is webhook url. */
export const asWords = (key: string): string => key.replaceAll('_', ' ');

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return true;
    value = Reflect.get(value, key);
  }
  return value === undefined;
}

type Issue = z.core.$ZodIssue;

function sentence(issue: Issue, missing: boolean): string {
  if (missing && issue.code !== 'custom') return 'The :attribute field is required.';
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.includes(':attribute')
        ? issue.message
        : `The :attribute field must be ${kindOf(issue.expected)}.`;
    case 'too_big':
      return `The :attribute field must not ${exceed(issue.origin, issue.maximum)}.`;
    case 'too_small':
      return `The :attribute field must ${reach(issue.origin, issue.minimum, issue.inclusive ?? true)}.`;
    case 'invalid_value':
      return `The selected :attribute is invalid; it must be one of ${issue.values.map(String).join(', ')}.`;
    case 'invalid_format':
      return issue.message.includes(':attribute')
        ? issue.message
        : `The :attribute field must be a valid ${formats[issue.format] ?? issue.format}.`;
    case 'not_multiple_of':
      return `The :attribute field must be a multiple of ${issue.divisor}.`;
    case 'unrecognized_keys':
      return `The :attribute field has unknown fields: ${issue.keys.join(', ')}.`;
    case 'invalid_key':
      return keySentence(
        issue.path.at(-1),
        issue.issues.find(({ message }) => message.includes(':attribute'))?.message,
      );
    case 'invalid_union':
      return issue.message.includes(':attribute') ? issue.message : 'The :attribute field is invalid.';
    case 'invalid_element':
      return 'The :attribute field is invalid.';
    case 'custom':
      return issue.message;
    default:
      return issue satisfies never;
  }
}

/** What is wrong with the name of a field, which stands at the end of its path. */
function keySentence(key: PropertyKey | undefined, message: string | undefined): string {
  if (key === '') return 'The :attribute field must have a name.';
  return (
    message?.replace('The :attribute field must', 'The name of the :attribute field must') ??
    'The :attribute field has an invalid key.'
  );
}

const formats: Readonly<Record<string, string>> = {
  datetime: 'ISO 8601 date and time with its zone, such as 2026-11-21T09:00:00Z',
  date: 'date',
  email: 'email address',
  url: 'URL',
  uuid: 'UUID',
  regex: 'value',
};

function kindOf(expected: string): string {
  switch (expected) {
    case 'boolean':
      return 'true or false';
    case 'int':
      return 'an integer';
    case 'array':
      return 'an array';
    case 'object':
    case 'record':
      return 'an object';
    default:
      return `a ${expected}`;
  }
}

function exceed(origin: string, maximum: number | bigint): string {
  if (origin === 'string') return `be greater than ${maximum} characters`;
  if (origin === 'array') return `have more than ${maximum} items`;
  return `be greater than ${maximum}`;
}

function reach(origin: string, minimum: number | bigint, isInclusive: boolean): string {
  if (origin === 'string') return `be at least ${minimum} characters`;
  if (origin === 'array') return `have at least ${minimum} items`;
  return isInclusive ? `be at least ${minimum}` : `be greater than ${minimum}`;
}
