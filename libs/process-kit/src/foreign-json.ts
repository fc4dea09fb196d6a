const { parse } = JSON;

/** A key that is written with an escape, or a text that looks like one. */
const escapedKey = /\\.[^"\\]*"\s*:/;
/** One that never ends is taken as well: else a search would begin at each of the quotes in it. */
const anyString = /"[^"\\]*(?:\\.[^"\\]*)*"?([ \t\n\r]*:)?/g;

/** Stands before the code of a character that cannot be in a key as it is; itself it is written so, too. */
const mark = '\ue000';
const toBeMarked = /["\\\p{Cc}\p{Cs}\ue000]/gu;
const marked = /\ue000(.{4})/g;

const markedKey = (key: string): string =>
  key.replace(toBeMarked, (character) => mark + character.charCodeAt(0).toString(16).padStart(4, '0'));
const unmarkedKey = (key: string): string =>
  key.replace(marked, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** The text with its keys written without any escape. */
const withPlainKeys = (text: string): string =>
  text.replace(anyString, (string: string, colon?: string) =>
    colon === undefined ? string : `"${markedKey(parse(string.slice(0, -colon.length)))}":`,
  );

const withUnmarkedKeys = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([key, child]) => [unmarkedKey(key), child]));

/** Each list and object in its turn, since a text may be nested deeper than calls may be. */
function withOwnKeys(value: unknown): unknown {
  const top = [value];
  const found: object[] = [top];
  for (const parent of found)
    for (const [key, child] of Object.entries(parent)) {
      if (typeof child !== 'object' || child === null) continue;
      const own = Array.isArray(child) ? child : withUnmarkedKeys(child);
      // Defined, not assigned: the key may be `__proto__`.
      Object.defineProperty(parent, key, { value: own });
      found.push(own);
    }
  return top[0];
}

/**
 * `JSON.parse` for keys that people outside have written. V8 reads some keys that are escaped (`"\u00e9tat"`, as many
 * clients write it, or `"24\" wide"`) as a key that somebody else sent before, such as `\u00e`, which anybody could send
 * on purpose (nodejs/node#63785); here no key that V8 gets is escaped. Throws where the text is no JSON.
 */
export function parseForeignJson(text: string): unknown {
  if (!text.includes('\\') || !escapedKey.test(text)) return parse(text);
  const plain = withPlainKeys(text);
  const value: unknown = parse(plain);
  return plain.includes(mark) ? withOwnKeys(value) : value;
}

/** From now on `JSON.parse` reads as `parseForeignJson` does, whoever calls it in this process (ADR 37). */
export function readKeysAsWritten(): void {
  JSON.parse = (text, reviver) => (reviver ? parse(text, reviver) : parseForeignJson(String(text)));
}
