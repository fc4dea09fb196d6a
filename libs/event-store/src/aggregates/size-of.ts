const partBytes = 32;
/** Beyond so many parts the rest is guessed: whoever keeps a state must not spend more on weighing it than on folding it. */
const maxParts = 1_000;
const guessBytes = 1024 * 1024;

/** About how many bytes a state takes in memory; at least a mebibyte where it has more than a thousand parts. */
export function sizeOf(state: unknown): number {
  const open: unknown[] = [state];
  let bytes = 0;
  for (let parts = 0; open.length > 0; parts += 1) {
    if (parts >= maxParts) return bytes + guessBytes;
    const part = open.pop();
    bytes += partBytes;
    if (typeof part === 'string') bytes += part.length;
    else if (typeof part === 'object' && part !== null) pushPartsOf(part, open);
  }
  return bytes;
}

function pushPartsOf(part: object, open: unknown[]): void {
  if (part instanceof Map) for (const entry of part) open.push(...entry);
  else if (Array.isArray(part) || part instanceof Set) for (const child of part) open.push(child);
  else for (const name in part) open.push(part[name as keyof typeof part]);
}
