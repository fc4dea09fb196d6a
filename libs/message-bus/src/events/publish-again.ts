import { z } from 'zod';
import type { NatsConnection } from '../connection/connection.ts';
import { subscribe } from '../connection/subscribe.ts';
import { RequestTimedOut, ServiceUnavailable } from '../wire/message.ts';

/** All copies of a service hear of it; the one that publishes answers once it has begun. */
const subjectOf = (service: string): string => `publisher.${service}.again`;

const request = z.object({ from: z.int().positive() });
const timeoutMs = 5_000;

/**
 * Asks whichever copy publishes the service's log to send it again from a position on, which is not beyond its end.
 * Resolves once the first of it is sent, so that the stream's newest position has gone back; rejects when none answers.
 */
export async function publishAgain(connection: NatsConnection, service: string, from: number): Promise<void> {
  try {
    await connection.request(subjectOf(service), JSON.stringify({ from }), { timeout: timeoutMs });
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'NoRespondersError')
      throw new ServiceUnavailable(`Nobody publishes the log of ${service}.`, { cause });
    throw new RequestTimedOut(
      `Nobody publishes the log of ${service} just now, or JetStream takes none of it.`,
      { cause },
    );
  }
}

/** `start` calls back when it has begun: only the copy that publishes does. Returns how to stop listening. */
export function onPublishAgain(
  connection: NatsConnection,
  service: string,
  start: (from: number, onBegun: () => void) => void,
  onError: (error: unknown) => void,
): () => void {
  const subscription = subscribe(
    connection,
    subjectOf(service),
    (message) => {
      const { from } = request.parse(JSON.parse(message.string()));
      start(from, () => void message.respond());
    },
    onError,
  );
  return () => subscription.unsubscribe();
}
