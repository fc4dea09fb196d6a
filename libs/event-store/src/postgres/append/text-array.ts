/** Escapes that Postgres reads otherwise, those of control characters; finds some more where texts hold backslashes. */
const foreignEscape = /\\[^"\\]/;

/**
 * Texts as Postgres reads a `text[]`. As JSON they are written in one go; pg looks at each of them with regular
 * expressions, and is left those that JSON writes in another way than Postgres.
 */
export function textArray(texts: readonly (string | null)[]): string | readonly (string | null)[] {
  const json = JSON.stringify(texts);
  return foreignEscape.test(json) ? texts : `{${json.slice(1, -1)}}`;
}

/** What a statement binds, its arrays of texts written out. */
export const withTextArrays = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (isTexts(value) ? textArray(value) : value));

const isTexts = (value: unknown): value is readonly (string | null)[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' || each === null);
