/** A frame carries several messages, two lines each: a head (a JSON array) and the message's own JSON. */

/** Frames are split here: one huge message must not delay the small ones behind it, and NATS ends at 1 MiB. */
export const maxFrameBytes = 256 * 1024;
/** Of replies; requests leave in smaller frames. */
export const maxFrameEntries = 256;

export interface Frame {
  readonly text: string;
  readonly bytes: number;
  readonly entries: number;
}

/** Bytes of a frame on a connection that takes messages of at most `maxPayload`. */
export const frameBytesOf = (maxPayload: number): number => Math.min(maxFrameBytes, maxPayload);

/** Puts encoded entries together in order; one that is larger than a frame travels alone. */
export function packFrames(entries: readonly string[], maxPayload = maxFrameBytes): Frame[] {
  const maxBytes = frameBytesOf(maxPayload);
  const frames: Frame[] = [];
  let text = '';
  let bytes = 0;
  let count = 0;
  for (const entry of entries) {
    const size = Buffer.byteLength(entry);
    if (count > 0 && (bytes + size > maxBytes || count === maxFrameEntries)) {
      frames.push({ text, bytes, entries: count });
      text = '';
      bytes = 0;
      count = 0;
    }
    text += entry;
    bytes += size;
    count += 1;
  }
  if (count > 0) frames.push({ text, bytes, entries: count });
  return frames;
}

/** In JSON text a raw line break can only be white space between tokens, so a blank says the same. */
export const onOneLine = (json: string): string => (json.includes('\n') ? json.replaceAll('\n', ' ') : json);

/** Calls `visit` with each head and its message; a head that is not a JSON array is passed over. Returns how many were. */
export function readFrame(text: string, visit: (head: readonly unknown[], json: string) => void): number {
  let faults = 0;
  let at = 0;
  while (at < text.length) {
    const headEnd = lineEnd(text, at);
    const jsonEnd = lineEnd(text, headEnd + 1);
    const head = parseHead(text.slice(at, headEnd));
    if (head) visit(head, text.slice(headEnd + 1, jsonEnd));
    else faults += 1;
    at = jsonEnd + 1;
  }
  return faults;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

export function parseHead(line: string): readonly unknown[] | undefined {
  try {
    const head: unknown = JSON.parse(line);
    return Array.isArray(head) ? head : undefined;
  } catch {
    return undefined;
  }
}
