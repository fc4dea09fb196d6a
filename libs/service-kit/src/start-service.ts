import { events, type ServiceName, upcastersOf } from '@parley/contracts';
import { createPostgresEventStore, type PostgresEventStore } from '@parley/event-store';
import { connectToBus, createBusClient, createEventPublisher } from '@parley/message-bus';
import { createMetricsRegistry, type Logger, type RunningProcess } from '@parley/process-kit';
import {
  createInlineProjector,
  createOwnershipKeeper,
  keepProjectionsCurrent,
  type OwnershipKeeper,
  prepareProjections,
} from '@parley/processing';
import { Closers } from './closers.ts';
import type { ServiceConfig } from './config.ts';
import { createApp, type ServiceParts } from './create-app.ts';
import { ensureDatabase } from './database.ts';
import { toEventMessage } from './event-message.ts';
import { eventsOfService } from './events-of-service.ts';
import { startHealthServer } from './health-server.ts';
import type { ServiceDefinition } from './service-definition.ts';
import { startBackground } from './start-background.ts';

/**
 * Starts one copy of a service; several fit into one process. Resolves when it answers. `close` takes nothing new,
 * finishes what runs and releases every connection.
 */
export async function startService(
  definition: ServiceDefinition,
  config: ServiceConfig,
  logger: Logger,
): Promise<RunningProcess> {
  const closers = new Closers(logger);
  try {
    const parts = await openParts(definition, config, logger, closers);
    const ownership = createOwnershipKeeper(parts.store.pool);
    closers.add(() => ownership.close());
    closers.add(startPublishing(definition, parts, ownership));
    const backgroundParts = {
      ...parts,
      eventsOf: (service: ServiceName) => eventsOfService(parts.connection, parts.bus, service),
      ownership,
      pool: parts.store.pool,
    };
    const background = definition.background?.(backgroundParts) ?? {};
    closers.add(() => background.close?.());
    const app = await createApp(definition, background, parts);
    closers.add(() => app.close());
    await app.listen();
    await startBackground(background, backgroundParts, closers);
    if (config.HEALTH_PORT !== undefined) closers.add(await serveHealth(config.HEALTH_PORT, parts));
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
  closers: Closers,
): Promise<ServiceParts> {
  const store = await openStore(definition, config, logger);
  closers.add(() => store.close());
  await prepareProjections(
    store.pool,
    definition.projections,
    (projection, progress) => logger.debug({ projection: projection.name, ...progress }, 'catching up'),
    upcastersOf(events, definition.name),
  );
  const keeper = keepProjectionsCurrent({
    store,
    pool: store.pool,
    projections: definition.projections,
    upcasters: upcastersOf(events, definition.name),
    onProblem: (problem) => logger.warn(problem, 'views could not be brought up to date; trying again'),
  });
  closers.add(() => keeper.close());
  const connection = await connectToBus({
    servers: config.NATS_URL,
    name: definition.name,
    waitForServer: true,
  });
  // Whoever used it has waited for what it sent; draining once more would wait for a server that may be gone.
  closers.add(() => connection.close());
  const registry = createMetricsRegistry(definition.name);
  return { bus: createBusClient(connection), config, connection, logger, registry, store };
}

async function openStore(
  { name, projections }: ServiceDefinition,
  config: ServiceConfig,
  logger: Logger,
): Promise<PostgresEventStore> {
  const url = config.DATABASE_URL.reveal();
  const upcasters = upcastersOf(events, name);
  return createPostgresEventStore({
    connectionString: await ensureDatabase(url, `${config.DATABASE_PREFIX}_${name}`),
    upcasters,
    inlineProjector: createInlineProjector(projections, upcasters),
    onError: (error) => logger.error({ err: error }, 'the store failed in the background'),
  });
}

/** The log goes to JetStream by one copy of the service at a time; commands never wait for it. */
function startPublishing(
  { name }: ServiceDefinition,
  { config, connection, logger, store }: ServiceParts,
  ownership: OwnershipKeeper,
): () => Promise<void> {
  const publisher = createEventPublisher({
    connection,
    service: name,
    readPage: async (after, limit) => (await store.readAll({ after, limit })).map(toEventMessage),
    onAppended: (deliver) => store.onAppended((events) => deliver(events.map(toEventMessage))),
    acquire: (signal) => ownership.acquire('publisher', signal),
    replicas: config.NATS_REPLICAS,
    onError: (error) => logger.warn({ err: error }, 'events could not be published; trying again'),
  });
  return () => publisher.close();
}

const serveHealth = (port: number, { config, connection, registry, store }: ServiceParts) =>
  startHealthServer({
    host: config.HEALTH_HOST,
    port,
    registry,
    checkReady: () => Promise.all([store.head(), connection.rtt()]),
  });
