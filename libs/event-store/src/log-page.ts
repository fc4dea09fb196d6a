import { payloadLength } from './payload-length.ts';
import type { LogPage, RecordedEvent } from './port.ts';

export interface PageBounds {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/** Characters of payloads as JSON; a page ends with the part that reaches it. */
const fullAt = 8 * 1024 * 1024;
/** Of the largest events, so many are some 50 MB. */
const partSize = 200;

/**
 * A page that fits into memory however large its events are: it is read in parts until it is full. `readPart` gives at
 * most `limit` wanted events behind `after`, and fewer only where there are no more up to the page's end.
 */
export async function collectPage(
  { after, upTo, limit }: PageBounds,
  readPart: (after: number, limit: number) => Promise<readonly RecordedEvent[]>,
): Promise<LogPage> {
  const events: RecordedEvent[] = [];
  let reached = after;
  for (let length = 0; events.length < limit && length < fullAt; ) {
    const wanted = Math.min(limit - events.length, partSize);
    const part = await readPart(reached, wanted);
    events.push(...part);
    if (part.length < wanted) return { events, reached: upTo };
    reached = part.at(-1)?.position ?? upTo;
    if (events.length < limit) for (const event of part) length += payloadLength(event);
  }
  return { events, reached };
}
