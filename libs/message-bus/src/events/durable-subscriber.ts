import { type RecordedEventMessage, serviceNames } from '@parley/contracts';
import { connectToBus } from '../connection/connection.ts';
import { createBusClient } from '../requests/client.ts';
import { subscribeToEvents } from './subscriber.ts';

/** Where a subscriber keeps how far it has come: durable, so that it goes on there after a crash. */
export interface Positions {
  /** The last position of the service's log that was handled; 0 at first. */
  load(service: string): Promise<number>;
  save(service: string, position: number): Promise<void>;
}

export interface DurableSubscriberOptions {
  /** URLs of NATS. */
  readonly servers: string;
  /** Shown by NATS for the connection. */
  readonly name: string;
  /** Whose events; of all services when absent. */
  readonly services?: readonly string[];
  readonly positions: Positions;
  /**
   * Gets each event after its predecessor in the service's log was handled. When it rejects, it gets the same event
   * again, with backoff. After a crash the last ones that were not saved come again: their ids tell.
   */
  readonly handle: (event: RecordedEventMessage, service: string) => Promise<void>;
  /**
   * Told of what failed and is tried again: a handler, NATS, a log that ends before what was read of it. A warning of the
   * process each time when absent.
   */
  readonly onError?: (error: unknown) => void;
}

export interface DurableSubscriber {
  /** Resolves when the event under way is handled and remembered. */
  close(): Promise<void>;
}

/**
 * Follows the logs of services from outside: live events as they come, missed ones by pages from the services
 * themselves. NATS may be gone for a while, and lose all that it stored: that costs time, and no event.
 */
export async function subscribeDurably(options: DurableSubscriberOptions): Promise<DurableSubscriber> {
  const { servers, name, services = serviceNames, positions, handle, onError = warn } = options;
  const beginnings = await Promise.all(
    services.map(async (service) => ({ service, after: await positions.load(service) })),
  );
  const connection = await connectToBus({ servers, name, onWaiting: onError });
  const client = createBusClient(connection);
  let isClosing = false;
  const subscriptions = beginnings.map(({ service, after }) => {
    let handled = after;
    let saved = after;
    return subscribeToEvents({
      connection,
      service,
      after,
      readPage: client,
      onError,
      async handle(events) {
        try {
          // A batch in whose middle one failed comes again as a whole.
          for (const event of events.filter(({ position }) => position > handled)) {
            if (isClosing) break;
            await handle(event, service);
            handled = event.position;
          }
        } finally {
          if (handled > saved) await positions.save(service, handled);
          saved = handled;
        }
      },
    });
  });
  return {
    async close() {
      isClosing = true;
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
      await client.close();
      await connection.close();
    },
  };
}

/** Whoever stands still is to say why. */
const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error));
