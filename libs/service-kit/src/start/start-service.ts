import { events, type ServiceName, upcastersOf } from '@parley/contracts';
import { createDecoder, createPostgresEventStore, forLookUps } from '@parley/event-store';
import { connectToBus, createBusClient } from '@parley/message-bus';
import { createMetricsRegistry, type Logger, type RunningProcess, warnOfWaiting } from '@parley/process-kit';
import {
  createInlineProjector,
  createOwnershipKeeper,
  keepProjectionsCurrent,
  prepareProjections,
} from '@parley/processing';
import type { Registry } from 'prom-client';
import type { ServiceConfig } from '../config.ts';
import { openSeals } from '../sealing/open-seals.ts';
import type { ServiceDefinition } from '../service-definition.ts';
import { Closers } from './closers.ts';
import { createApp } from './create-app.ts';
import { askDatabase, ensureDatabase } from './database.ts';
import { DatabaseOutage } from './database-outage.ts';
import { eventsOfService } from './events-of-service.ts';
import { startHealthServer } from './health-server.ts';
import { refuseMovedClock } from './moved-clock.ts';
import { refuseNewerEvents } from './newer-events.ts';
import { refuseOtherDatabase } from './other-database.ts';
import { type Needs, readinessOf } from './readiness.ts';
import type { ServiceParts } from './service-parts.ts';
import { showDeadLetters } from './show-dead-letters.ts';
import { startBackground } from './start-background.ts';
import { startPublishing } from './start-publishing.ts';
import { tellOfBackground } from './tell-of-background.ts';
import { tellOfProblems } from './tell-of-problems.ts';

/**
 * Starts one copy of a service; several fit into one process. Resolves when it answers. `close` takes nothing new,
 * finishes what runs and releases every connection. `onProgress` is called while the log is migrated and
 * views are made, which may take long.
 */
export async function startService(
  definition: ServiceDefinition,
  config: ServiceConfig,
  logger: Logger,
  onProgress: () => void = () => undefined,
): Promise<RunningProcess> {
  const closers = new Closers(logger);
  const registry = createMetricsRegistry(definition.name);
  let needs: Needs | undefined;
  try {
    // First, and closed last: whoever looks whether it is alive must not take a long start for a dead process.
    if (config.HEALTH_PORT !== undefined)
      closers.add(
        await startHealthServer({
          host: config.HEALTH_HOST,
          port: config.HEALTH_PORT,
          registry,
          readiness: () => readinessOf(needs, closers.closing),
        }),
      );
    const parts = await openParts(definition, config, logger, registry, closers, onProgress);
    await refuseMovedClock(config, forLookUps(parts.store.pool));
    await refuseOtherDatabase(definition, parts);
    closers.add(await startPublishing(definition, parts));
    const backgroundParts = {
      ...parts,
      eventsOf: (service: ServiceName) => eventsOfService(parts.connection, parts.bus, service),
      pool: parts.store.pool,
      sql: forLookUps(parts.store.pool),
    };
    const background = definition.background?.(backgroundParts) ?? {};
    closers.add(() => background.close?.());
    const app = await createApp(definition, background, parts);
    closers.add(() => app.close());
    await app.listen();
    startBackground(background, backgroundParts, closers);
    needs = { database: () => parts.store.head(), bus: () => parts.connection.rtt() };
  } catch (error) {
    await closers.close();
    throw error;
  }
  return closers;
}

/** The store with its views, and the bus. */
async function openParts(
  definition: ServiceDefinition,
  config: ServiceConfig,
  logger: Logger,
  registry: Registry,
  closers: Closers,
  onProgress: () => void,
): Promise<ServiceParts> {
  const url = config.DATABASE_URL.reveal();
  const connectionString = await ensureDatabase(url, `${config.DATABASE_PREFIX}_${definition.name}`);
  const outage = new DatabaseOutage(logger, () => askDatabase(connectionString), closers.closing);
  const opened = await openSeals({
    connectionString,
    keyring: config.SECRETS_KEYS,
    onError: tellOfBackground(logger, outage, 'sealing failed in the background'),
    onProgress,
  });
  closers.add(() => opened.close());
  const { seals } = opened;
  const upcasters = upcastersOf(events, definition.name);
  const decode = createDecoder(upcasters, seals);
  const store = await createPostgresEventStore({
    connectionString,
    upcasters,
    seals,
    inlineProjector: createInlineProjector(definition.projections, decode),
    onError: tellOfBackground(logger, outage, 'the store failed in the background'),
  });
  closers.add(() => store.close());
  await refuseNewerEvents(
    store.pool,
    events.filter(({ service }) => service === definition.name),
  );
  await prepareProjections(
    store.pool,
    definition.projections,
    (projection, progress) => {
      logger.debug({ projection: projection.name, ...progress }, 'catching up');
      onProgress();
    },
    decode,
  );
  const onProblem = tellOfProblems(logger, registry, outage);
  showDeadLetters(forLookUps(store.pool), registry);
  const keeper = keepProjectionsCurrent({
    store,
    pool: store.pool,
    projections: definition.projections,
    decode,
    onProblem,
  });
  closers.add(() => keeper.close());
  const connection = await connectToBus({
    servers: config.NATS_URL,
    name: definition.name,
    onWaiting: warnOfWaiting(logger),
  });
  // Its users have waited for what they sent; draining again would wait for a server that may be gone.
  closers.add(() => connection.close());
  const ownership = createOwnershipKeeper(store.pool);
  closers.add(() => ownership.close());
  return {
    bus: createBusClient(connection),
    closing: closers.closing,
    config,
    connection,
    decode,
    logger,
    onProblem,
    opened,
    ownership,
    registry,
    store,
  };
}
