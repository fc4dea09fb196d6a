import { jetstreamManager } from '@nats-io/jetstream';
import { onTestFinished } from 'vitest';
import type { NatsConnection } from '../connection/connection.ts';
import type { EventLog } from './event-log.fixture.ts';
import { createEventPublisher, type EventPublisher, type EventPublisherOptions } from './publisher.ts';

/** Until the test is finished. */
export function publish(
  nats: NatsConnection,
  service: string,
  log: EventLog,
  more: Pick<EventPublisherOptions, 'acquire' | 'onFailure' | 'onRecovered' | 'onLeft'> = {},
): EventPublisher {
  const publisher = createEventPublisher({
    connection: nats,
    service,
    readPage: log.readPageAndHead,
    onAppended: log.onAppended,
    maxBytes: 16 * 1024 * 1024,
    ...more,
  });
  onTestFinished(() => publisher.close());
  return publisher;
}

/** What the stream holds: position and message id of each message, in its order. */
export async function stored(
  nats: NatsConnection,
  service: string,
): Promise<{ position: number; id: string }[]> {
  const manager = await jetstreamManager(nats, { checkAPI: false });
  const name = `EVT_${service.toUpperCase()}`;
  const { state } = await manager.streams.info(name);
  const messages: { position: number; id: string }[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(name, { seq });
    const position = Number(message?.header.get('parley-position'));
    messages.push({ position, id: message?.header.get('Nats-Msg-Id') ?? '' });
  }
  return messages;
}

/** All of the log, as `stored` gives it. */
export const expected = (log: EventLog) => log.events.map(({ position, event_id: id }) => ({ position, id }));
