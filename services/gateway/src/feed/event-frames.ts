import { z } from 'zod';

const page = z.object({
  data: z.array(z.looseObject({ position: z.int(), type: z.string() })),
  next_position: z.int(),
  has_more: z.boolean(),
});

export interface FramedPage {
  /** Server-sent events, one per item; empty without items. */
  readonly text: string;
  /**
   * The next page is to be asked for at once. A page may be empty nevertheless: a long log is searched in several.
   */
  readonly hasMore: boolean;
  /** Where the next page begins. */
  readonly next: number;
}

/** A page of a feed as server-sent events. JSON has no raw line break, so an item is one `data` line. */
export function framePage(body: string): FramedPage {
  const { data, next_position: next, has_more: hasMore } = page.parse(JSON.parse(body));
  const frames = data.map(
    (item) => `id: ${item.position}\nevent: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`,
  );
  return { text: frames.join(''), hasMore, next };
}

/**
 * Where the feed begins: after the event in `Last-Event-ID`, which a client that was cut off sends, else where the
 * query's `after` says.
 */
export function startOf(lastEventId: string | string[] | undefined, after: unknown): unknown {
  return typeof lastEventId === 'string' && /^\d{1,16}$/.test(lastEventId) ? lastEventId : after;
}
