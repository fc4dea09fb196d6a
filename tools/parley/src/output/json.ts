/**
 * JSON in which no character moves a terminal's cursor or turns its text around: JSON itself leaves those beyond ASCII
 * (U+009B begins what ESC [ begins) and marks of direction as they are.
 */
export const toJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replaceAll(
    // What stands between lines is the indented JSON's own.
    /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A field's name, which a customer may have chosen. */
export const fieldName = (name: string): string => toJson(name).slice(1, -1);

/** The first line of a text, with the characters replaced that move a terminal's cursor or turn its text around. */
export const firstLine = (text: string): string =>
  (text.split('\n', 1)[0] ?? '').replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
