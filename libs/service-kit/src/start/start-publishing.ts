import { connectToBus, createEventPublisher } from '@parley/message-bus';
import { type Logger, warnOfWaiting } from '@parley/process-kit';
import { isOutage } from '@parley/processing';
import { Gauge, type Registry } from 'prom-client';
import type { ServiceDefinition } from '../service-definition.ts';
import { publishedEvents } from './published-events.ts';
import type { ServiceParts } from './service-parts.ts';

/** Failures have a line in the log so often while they last, in milliseconds. */
const quietMs = 30_000;

/** What an operator does about events that JetStream does not store. */
export const whatHelps =
  'Is there room on the disk of nats-server and in its limits? One that has room and gives no answer must be killed and started again';

/**
 * The log goes to JetStream by one copy of the service at a time; commands never wait for it. That is why it has a
 * connection of its own: a nats-server that cannot write may read nothing more of the one that events come on.
 */
export async function startPublishing(
  { name }: ServiceDefinition,
  { config, logger, opened, ownership, registry, store }: ServiceParts,
): Promise<() => Promise<void>> {
  const connection = await connectToBus({
    servers: config.NATS_URL,
    name: `${name}-publisher`,
    onWaiting: warnOfWaiting(logger),
  });
  const publisher = createEventPublisher({
    connection,
    service: name,
    ...publishedEvents(store, opened.seals),
    acquire: (signal) => ownership.acquire('publisher', signal),
    replicas: config.NATS_REPLICAS,
    ...tellOfFailures(logger, registry),
    onError: (error) => logger.warn({ err: error }, 'not every event could be published'),
  });
  return async () => {
    await publisher.close();
    await connection.close();
  };
}

/** What an operator hears of it: at once, again and with what to do while it lasts, and when it is over. */
export function tellOfFailures(logger: Logger, registry: Registry) {
  let failingSince: number | null = null;
  let quietUntil = 0;
  const failingSeconds = () => (failingSince === null ? 0 : (performance.now() - failingSince) / 1000);
  new Gauge({
    name: 'parley_publishing_failing_seconds',
    help: 'For how long no event of the service could be given to JetStream; 0 while it can, and of copies that do not publish.',
    registers: [registry],
    collect() {
      this.set(failingSeconds());
    },
  });
  return {
    onFailure(error: unknown): void {
      const now = performance.now();
      if (failingSince !== null && now < quietUntil) return;
      quietUntil = now + quietMs;
      if (failingSince === null) {
        failingSince = now;
        logger.warn({ err: error }, 'events could not be published; trying again');
      } else
        logger.error(
          { err: error, failing_seconds: Math.round(failingSeconds()) },
          // The log is read to publish it: that the database gives none is not for nats-server to mend.
          `events are still not published: subscribers outside wait for them, nothing is lost.${isOutage(error) ? '' : ` ${whatHelps}`}`,
        );
    },
    onRecovered(): void {
      logger.info({ failed_seconds: Math.round(failingSeconds()) }, 'events are published again');
      failingSince = null;
    },
    onLeft(): void {
      logger.info(
        'events are published by whichever copy is next, which tells if it cannot: perhaps this one',
      );
      failingSince = null;
    },
  };
}
