import type { Msg, Subscription } from '@nats-io/nats-core';
import type { NatsConnection } from './connection.ts';

/**
 * Subscribes with a callback. An exception must not leave it: it would end the connection's reading for good. Nobody
 * hears of it without an `onError`.
 */
export function subscribe(
  connection: NatsConnection,
  subject: string,
  onMessage: (message: Msg) => void,
  onError: (error: unknown) => void = () => undefined,
  queue?: string,
): Subscription {
  return connection.subscribe(subject, {
    ...(queue === undefined ? {} : { queue }),
    callback: (error, message) => {
      try {
        if (error) onError(error);
        else onMessage(message);
      } catch (thrown) {
        onError(thrown);
      }
    },
  });
}
