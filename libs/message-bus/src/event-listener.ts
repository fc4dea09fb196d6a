import type { RecordedEventMessage } from '@parley/contracts';
import type { NatsConnection } from './connection.ts';
import { parseEvent } from './event-message.ts';

export interface EventListener {
  close(): void;
}

/** A service's live events as they come: a hint, which may be lost, repeated or (with two publishers) out of order. */
export function listenToEvents(
  connection: NatsConnection,
  service: string,
  onEvent: (event: RecordedEventMessage) => void,
): EventListener {
  const subscription = connection.subscribe(`evt.${service}.>`, {
    callback: (_error, message) => {
      const event = parseEvent(message.string());
      if (event) onEvent(event);
    },
  });
  return { close: () => subscription.unsubscribe() };
}
