const anyString = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** The text with its keys written without escapes, as far as JSON allows that. */
const withPlainKeys = (text: string): string =>
  text.replace(anyString, (string: string, colon?: string) =>
    colon !== undefined && string.includes('\\')
      ? `${JSON.stringify(JSON.parse(string.slice(0, -colon.length)))}:`
      : string,
  );

/**
 * `JSON.parse` for texts that people outside have written: keys that are escaped without need (`"\u00e9tat"`, as many
 * clients write them) are read as what they say. V8 reads some of them as a key that somebody else sent before, such as
 * `\u00e`, which anybody could send on purpose (nodejs/node#63785). Throws where the text is no JSON.
 */
export function parseForeignJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const plain = text.includes('\\') ? withPlainKeys(text) : text;
  return plain === text ? value : JSON.parse(plain);
}
