/** Postgres holds neither NUL nor lone surrogates, and what others write must not be refused for them. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '');
