import type { z } from 'zod';

type Variables = Readonly<Record<string, z.core.util.JSONType>>;

/** Variables as people read them; those without a value are left out. */
export function asTexts(variables: Variables): Record<string, string> {
  // What many names stand for is one text, and not as many.
  const texts = new Map<unknown, string>();
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => {
      if (value === null) return [];
      const text = texts.get(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
      texts.set(value, text);
      return [[name, text] as const];
    }),
  );
}

/**
 * A text with its placeholders filled: `{{name}}` stands for a variable, and for nothing when there is none. Once it is
 * longer than `maxLength` the rest is left out.
 */
export function fillIn(body: string, variables: Variables, maxLength: number): string {
  const texts = asTexts(variables);
  let length = body.length;
  // Blanks are left to `trim`: a pattern with a place for them tries every way of sharing them out.
  return body.replaceAll(/\{\{([^{}]+)\}\}/g, (_, gap: string) => {
    const name = gap.trim();
    if (length > maxLength || !Object.hasOwn(texts, name)) return '';
    const text = texts[name] ?? '';
    length += text.length;
    return text;
  });
}
