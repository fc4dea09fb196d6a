import type { RecordedEventMessage } from '@parley/contracts';
import type { EventStore, JsonObject, RecordedEvent } from '@parley/event-store';
import type { EventPage } from '@parley/message-bus';
import type { Seals, WithoutPeople } from '../sealing/event-seals.ts';
import { toEventMessage } from './event-message.ts';

/** The log as it goes to JetStream, where it is kept by others: without what belongs to people. */
export function publishedEvents(store: EventStore, seals: Seals) {
  return {
    async readPage(after: number, limit: number): Promise<EventPage> {
      const head = await store.head();
      const { events } = await store.readPage({ after, limit, upTo: head });
      const shapes = await Promise.all(events.map((event) => seals.withoutPeople(stored(event))));
      return { events: events.flatMap((event, index) => messageOf(event, shapes[index])), head };
    },
    /** What was sealed here is known without its people; who others belong to has to be looked up, which a page does. */
    onAppended: (deliver: (events: readonly RecordedEventMessage[]) => void) =>
      store.onAppended((events) => {
        const messages = events.flatMap((event) =>
          messageOf(event, seals.recentWithoutPeople(stored(event))),
        );
        deliver(messages.length === events.length ? messages : []);
      }),
  };
}

const stored = (event: RecordedEvent) => event as RecordedEvent<string, JsonObject>;

const messageOf = (event: RecordedEvent, known: WithoutPeople | undefined): RecordedEventMessage[] =>
  known
    ? [{ ...toEventMessage({ ...event, data: known.data }), ...(known.isSealed && { sealed: true }) }]
    : [];
