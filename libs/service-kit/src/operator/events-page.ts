import type { readEvents } from '@parley/contracts';
import type { EventStore } from '@parley/event-store';
import type { BusReply } from '@parley/message-bus';
import type { z } from 'zod';
import { textReply } from '../requests/replies.ts';
import { toEventMessage } from '../start/event-message.ts';

interface Asked extends z.output<typeof readEvents.input> {
  /** It is looked for up to and including this position. */
  readonly upTo: number;
}

export interface EventsPage {
  /** JSON texts of events. */
  readonly events: readonly string[];
  /** All that was asked for up to here is in this page and those before it: `upTo`, or less when the page is full. */
  readonly reached: number;
}

/**
 * In how many events a page is searched. In a long log with few matches a full page would take longer than the caller
 * waits.
 */
export const maxLookedAt = 250_000;

/** A NATS message holds 1 MiB; a page of large events is cut before that, and the reader asks on from its last one. */
const maxCharacters = 256 * 1024;
/** A page of large events must not cost the reading of many: each step is so many times the one before, if that will fit. */
const firstStep = 16;
const growth = 4;

export const pageReply = ({ events, reached }: EventsPage, head: number): BusReply =>
  textReply(`{"events":[${events.join(',')}],"head":${head},"reached":${reached}}`);

export async function readEventsPage(
  store: Pick<EventStore, 'readAll'>,
  { after, upTo, limit, positions, types, account_id, account_ids, stream_id }: Asked,
): Promise<EventsPage> {
  // Whoever follows a log asks at least once a second.
  if (upTo <= after) return { events: [], reached: after };
  const filter = {
    upTo,
    ...(positions ? { positions } : {}),
    ...(types ? { types } : {}),
    ...(account_id === undefined ? {} : { accountId: account_id }),
    ...(account_ids ? { accountIds: account_ids } : {}),
    ...(stream_id === undefined ? {} : { streamId: stream_id }),
  };
  const events: string[] = [];
  let characters = 0;
  let reached = after;
  for (let count = Math.min(limit, firstStep); ; ) {
    const read = await store.readAll({ after: reached, limit: count, ...filter });
    for (const event of read) {
      const text = JSON.stringify(toEventMessage(event));
      characters += text.length;
      if (events.length > 0 && characters > maxCharacters) return { events, reached };
      events.push(text);
      reached = event.position;
    }
    if (read.length < count) return { events, reached: Math.max(reached, upTo) };
    if (events.length >= limit) return { events, reached };
    const fitting = ((maxCharacters - characters) / characters) * events.length;
    count = Math.min(limit - events.length, count * growth, Math.max(1, Math.ceil(fitting)));
  }
}
