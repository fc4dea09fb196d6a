import type { EventSource } from '@parley/processing';

/** What automations listen to at present. */
export interface Listened {
  readonly types: ReadonlySet<string>;
  /** Their accounts; undefined when there are too many to be named. */
  readonly accountIds: ReadonlySet<number> | undefined;
}

const nothing: Listened = { types: new Set(), accountIds: new Set() };

/**
 * A service's log without the events that nobody listens to at present: opening, sending and reading those would be for
 * nothing. `findListened` is asked after each page, which is read again if more is listened to by then: so an
 * automation that listens before an event happens gets it.
 */
export function listenedEvents(source: EventSource, findListened: () => Promise<Listened>): EventSource {
  let listened = nothing;
  return {
    service: source.service,
    async read({ after, limit, types = [], positions }) {
      if (positions) return source.read({ after, limit, positions });
      for (;;) {
        const asked = listened;
        const page = await source.read({
          after,
          limit,
          types: types.filter((type) => asked.types.has(type)),
          ...(asked.accountIds && { accountIds: [...asked.accountIds] }),
        });
        if (page.reached === after) return page;
        listened = await findListened();
        if (isWithin(listened, asked)) return page;
      }
    },
    subscribe: (after, deliver, types) => source.subscribe(after, deliver, types),
  };
}

const isWithin = (listened: Listened, asked: Listened): boolean =>
  listened.types.isSubsetOf(asked.types) &&
  (asked.accountIds === undefined || listened.accountIds?.isSubsetOf(asked.accountIds) === true);
