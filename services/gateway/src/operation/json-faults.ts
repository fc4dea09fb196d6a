import { asWords } from '@parley/contracts';
import { losesDigits } from '@parley/process-kit';

/** What makes a well-formed JSON text unacceptable; `field` may be nearly as long as the text. */
interface JsonFault {
  readonly field: string;
  readonly message: string;
}

interface Level {
  /** The keys seen in this object; `null` in an array. */
  readonly keys: Set<string> | null;
  /** The key or index that the scan is in. */
  at: string | number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Finds what `JSON.parse` accepts and the API does not: nesting beyond `maxDepth`, a key given twice (two services
 * may read different ones), `__proto__`, and a whole number with more digits than JavaScript keeps, which would
 * silently become another one. `text` must be valid JSON; one pass, no recursion. `null` when there is no fault.
 */
export function findStructureFault(text: string, maxDepth: number): JsonFault | null {
  const levels: Level[] = [];
  let isKeyNext = false;
  for (let index = 0; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case openBrace:
      case openBracket: {
        if (levels.length === maxDepth)
          return { field: 'body', message: `The body must not be nested deeper than ${maxDepth} levels.` };
        isKeyNext = text.charCodeAt(index) === openBrace;
        levels.push({ keys: isKeyNext ? new Set() : null, at: 0 });
        break;
      }
      case closeBrace:
      case closeBracket:
        levels.pop();
        isKeyNext = false;
        break;
      case comma: {
        const level = levels.at(-1);
        isKeyNext = level?.keys != null;
        if (level && typeof level.at === 'number') level.at += 1;
        break;
      }
      case quote: {
        const end = endOfString(text, index);
        if (isKeyNext) {
          const fault = takeKey(levels, keyOf(text, index, end));
          if (fault) return fault;
          isKeyNext = false;
        }
        index = end;
        break;
      }
      default: {
        if (!isDigit(text.charCodeAt(index))) break;
        const end = endOfNumber(text, index);
        if (losesDigits(text.slice(index, end))) return lostDigits(pathOf(levels) || 'body');
        index = end - 1;
      }
    }
  }
  return null;
}

const pathOf = (levels: readonly Level[]): string => levels.map(({ at }) => at).join('.');

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (/[-+.\deE]/.test(text.charAt(end))) end += 1;
  return end;
}

const lostDigits = (field: string): JsonFault => ({
  field,
  message: `The ${asWords(field)} field has more digits than are kept of a number; send it as text.`,
});

function takeKey(levels: readonly Level[], key: string): JsonFault | null {
  const level = levels.at(-1);
  if (!level?.keys) return null;
  level.at = key;
  const isTwice = level.keys.has(key);
  level.keys.add(key);
  if (key !== '__proto__' && !isTwice) return null;
  // Made for a fault only: a path may be nearly as long as the body, and so many keys may be at its end.
  const field = pathOf(levels);
  return isTwice ? repeated(field) : { field, message: 'The key __proto__ is not allowed.' };
}

export const repeated = (field: string): JsonFault => ({
  field,
  message: `The ${asWords(field)} field is given more than once.`,
});

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

function keyOf(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/**
 * Finds a NUL or a lone surrogate in any key or text of a parsed body (decisions, section 1 "Text"). Both reach a body
 * only as `\u` escapes, so a text without any needs no search.
 */
export function findTextFault(value: unknown, path = ''): JsonFault | null {
  if (typeof value === 'string') return isText(value) ? null : textFault(path || 'body');
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    if (!isText(key)) return textFault(path || 'body');
    const fault = findTextFault(child, path === '' ? key : `${path}.${key}`);
    if (fault) return fault;
  }
  return null;
}

const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\u0000');

const textFault = (field: string): JsonFault => ({
  field,
  message: `The ${asWords(field)} field must be well-formed Unicode without NUL characters.`,
});
