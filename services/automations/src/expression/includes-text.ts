/**
 * The product of both lengths up to which the built-in search is used: at worst, it compares each character of one text
 * with each of the other.
 */
const shortSearch = 2 ** 20;

/** Whether the text contains the part, in time that grows with the sum of their lengths and not with their product. */
export function includesText(text: string, part: string): boolean {
  if (text.length * part.length <= shortSearch) return text.includes(part);
  const borders = bordersOf(part);
  for (let at = 0, matched = 0; at < text.length; at += 1) {
    while (matched > 0 && text[at] !== part[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === part[matched]) matched += 1;
    if (matched === part.length) return true;
  }
  return false;
}

/**
 * For each beginning of the text, the length of the longest shorter text that it both begins and ends with (Knuth,
 * Morris, Pratt).
 */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, length = 0; at < text.length; at += 1) {
    while (length > 0 && text[at] !== text[length]) length = borders[length - 1] ?? 0;
    if (text[at] === text[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
