import type { Msg } from '@nats-io/nats-core';
import type { RecordedEventMessage } from '@parley/contracts';
import type { NatsConnection } from '../connection/connection.ts';
import { subscribe } from '../connection/subscribe.ts';
import { parseEvent } from './event-message.ts';

export interface EventListener {
  close(): void;
}

/** A service's live events as they come: a hint, which may be lost, repeated or (with two publishers) out of order. */
export function listenToEvents(
  connection: NatsConnection,
  service: string,
  onEvent: (event: RecordedEventMessage) => void,
  onError?: (error: unknown) => void,
): EventListener {
  const onMessage = (message: Msg) => {
    const event = parseEvent(message.string());
    if (event) onEvent(event);
  };
  const subscription = subscribe(connection, `evt.${service}.>`, onMessage, onError);
  return { close: () => subscription.unsubscribe() };
}

/** Says that there are new events of these types, without looking at them; a hint like the events themselves. */
export function listenToTypes(
  connection: NatsConnection,
  service: string,
  types: readonly string[],
  onNew: () => void,
): EventListener {
  const subscriptions = types.map((type) => subscribe(connection, `evt.${service}.*.${type}`, onNew));
  return {
    close() {
      for (const subscription of subscriptions) subscription.unsubscribe();
    },
  };
}
