import type { EventSource } from '@parley/processing';

/**
 * Another service's log without the types that nobody listens to at present: what they bring would be opened, sent and
 * read for nothing. `listenedTypes` is asked once a page, after it was read, so that whoever listens by the time
 * something happens hears of it.
 */
export function listenedEvents(
  source: EventSource,
  listenedTypes: () => Promise<ReadonlySet<string>>,
): EventSource {
  let listened: ReadonlySet<string> = new Set();
  return {
    async read({ after, limit, types = [] }) {
      for (;;) {
        const asked = types.filter((type) => listened.has(type));
        const page = await source.read({ after, limit, types: asked });
        if (page.reached === after) return page;
        listened = await listenedTypes();
        if (types.every((type) => asked.includes(type) || !listened.has(type))) return page;
      }
    },
    subscribe: (after, deliver, types) => source.subscribe(after, deliver, types),
  };
}
