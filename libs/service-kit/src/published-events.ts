import { events as definitions, type RecordedEventMessage } from '@parley/contracts';
import type { EventStore, JsonObject, RecordedEvent } from '@parley/event-store';
import { toEventMessage } from './event-message.ts';
import type { Seals } from './sealing/event-seals.ts';

const personalTypes = new Set(definitions.flatMap(({ type, personal }) => (personal ? [type] : [])));

/** The log as it goes to JetStream, where it is kept by others: without what belongs to people. */
export function publishedEvents(store: EventStore, seals: Seals) {
  return {
    async readPage(after: number, limit: number): Promise<readonly RecordedEventMessage[]> {
      const events = await store.readAll({ after, limit });
      return Promise.all(events.map((event) => withoutPeople(event, seals)));
    },
    /** Who they belong to has to be looked up: a page does that. */
    onAppended: (deliver: (events: readonly RecordedEventMessage[]) => void) =>
      store.onAppended((events) =>
        deliver(events.some(({ type }) => personalTypes.has(type)) ? [] : events.map(toEventMessage)),
      ),
  };
}

async function withoutPeople(event: RecordedEvent, seals: Seals): Promise<RecordedEventMessage> {
  const { data, isSealed } = await seals.withoutPeople(event as RecordedEvent<string, JsonObject>);
  return { ...toEventMessage({ ...event, data }), ...(isSealed && { sealed: true }) };
}
