/**
 * Any text as a header value, as CloudEvents does it: printable ASCII stands for itself, everything else (and `%`)
 * is percent-encoded UTF-8. Outer blanks would be trimmed on the way, so they are encoded too.
 */
export function encodeHeaderText(text: string): string {
  if (/^[!-$&-~]*$/.test(text)) return text;
  return text.toWellFormed().replace(/^ | $|%|[^ -~]+/gu, (part) => encodeURIComponent(part));
}

/** The other way round. Text that was never encoded (other clients) is taken as it is. */
export function decodeHeaderText(value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
