/** What a content type says the text is written in; undefined where it does not. */
export const charsetOf = (contentType = ''): string | undefined =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
