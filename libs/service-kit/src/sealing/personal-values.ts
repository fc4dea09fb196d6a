import { type PersonalData, personPattern } from '@parley/contracts';
import type { Json, JsonObject } from '@parley/event-store';

export type Path = readonly (string | number)[];

export interface PersonalValue {
  readonly path: Path;
  readonly value: Json;
  /** All of it goes with the person, not only the numbers it mentions. */
  readonly isWhole: boolean;
}

/** What of a payload is somebody's. */
export interface PersonalPart {
  /** Whose it is; null when the payload does not say: the stream's person. Empty when it is to say, and names nobody. */
  readonly subject: string | null;
  readonly values: readonly PersonalValue[];
}

const erasedPrefix = 'erased:';
const erasedText = '[erased]';

/** What stands for an erased person, always the same. */
export const standInOf = (keyId: string): string => `${erasedPrefix}${keyId}`;
export const isStandIn = (subject: string): boolean => subject.startsWith(erasedPrefix);

const numberPattern = new RegExp(personPattern, 'g');

/** Whether a text may mention somebody: seen at once of most that do not. */
export const mayMention = (text: string): boolean => text.includes('+') || text.includes('.');

/** The phone numbers (E.164) that a text mentions, and the customers who hide theirs. */
export const numbersIn = (text: string): readonly string[] =>
  mayMention(text) ? [...new Set(text.match(numberPattern) ?? [])] : [];

export const replaceNumbers = (text: string, nameOf: (number: string) => string): string =>
  mayMention(text) ? text.replace(numberPattern, nameOf) : text;

/** Splits a payload by whom it belongs to. */
export function personalParts(data: JsonObject, personal: PersonalData, at: Path = []): PersonalPart[] {
  const { fields = [], mentions = [], each = {} } = personal;
  const values = [
    ...fields.map((field) => valueAt(data, field, at, true)),
    ...mentions.map((field) => valueAt(data, field, at, false)),
  ].filter(holdsSomething);
  const entries = Object.entries(each).flatMap(([list, ofEach]) => {
    const all = data[list];
    return Array.isArray(all)
      ? all.flatMap((entry: Json, index) =>
          isObject(entry) ? personalParts(entry, ofEach, [...at, list, index]) : [],
        )
      : [];
  });
  return values.length === 0 ? entries : [{ subject: subjectOf(data, personal), values }, ...entries];
}

function subjectOf(data: JsonObject, { subject, subjectIn }: PersonalData): string | null {
  if (subjectIn) return subjectInText(data[subjectIn[0]], subjectIn[1]) ?? '';
  const value = subject === undefined ? null : data[subject];
  return typeof value === 'string' && value !== '' ? value : null;
}

function subjectInText(text: Json | undefined, field: string): string | null {
  try {
    const parsed: Json = typeof text === 'string' ? JSON.parse(text) : null;
    return isObject(parsed) ? subjectOf(parsed, { subject: field }) : null;
  } catch {
    return null;
  }
}

const valueAt = (data: JsonObject, field: string, at: Path, isWhole: boolean): PersonalValue => ({
  path: [...at, field],
  value: data[field] ?? null,
  isWhole,
});

function holdsSomething({ value, isWhole }: PersonalValue): boolean {
  if (!isWhole) return numbersIn(JSON.stringify(value)).length > 0;
  if (typeof value === 'string') return value !== '';
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** What is left of a value without the person: of the same kind, so that folds and schemas take it. */
export function withoutPerson(
  { value, isWhole }: PersonalValue,
  nameOf: (number: string) => string | undefined,
): Json {
  if (!isWhole) return replaceIn(value, (number) => nameOf(number) ?? erasedText);
  if (typeof value === 'string') return nameOf(value) ?? (isStandIn(value) ? value : erasedText);
  return Array.isArray(value) ? [] : {};
}

/** A value with nobody's number in it but these. */
export const withNobodyBut = (value: Json, numbers: readonly string[]): Json =>
  replaceIn(value, (number) => (numbers.includes(number) ? number : erasedText));

function replaceIn(value: Json, nameOf: (number: string) => string): Json {
  if (typeof value === 'string') return replaceNumbers(value, nameOf);
  if (Array.isArray(value)) return value.map((entry: Json) => replaceIn(entry, nameOf));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceIn(entry, nameOf)]));
}

/** Writes a value deep into a payload. */
export function put(whole: JsonObject, path: Path, value: Json): void {
  const last = path.at(-1);
  let place: unknown = whole;
  for (const step of path.slice(0, -1)) place = Object(place)[step];
  if (last !== undefined) Object(place)[last] = value;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
