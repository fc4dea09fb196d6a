import type { Msg } from '@nats-io/nats-core';
import type { RecordedEventMessage } from '@parley/contracts';
import type { NatsConnection } from './connection.ts';
import { parseEvent } from './event-message.ts';
import { subscribe } from './subscribe.ts';

export interface EventListener {
  close(): void;
}

/** A service's live events as they come: a hint, which may be lost, repeated or (with two publishers) out of order. */
export function listenToEvents(
  connection: NatsConnection,
  service: string,
  onEvent: (event: RecordedEventMessage) => void,
  onError: (error: unknown) => void = () => undefined,
): EventListener {
  const onMessage = (message: Msg) => {
    const event = parseEvent(message.string());
    if (event) onEvent(event);
  };
  const subscription = subscribe(connection, `evt.${service}.>`, onMessage, onError);
  return { close: () => subscription.unsubscribe() };
}
