import type { EventMetadata, PostgresEventStore } from '@parley/event-store';
import type { Projection } from '@parley/processing';
import { createTestDatabase } from './database.ts';
import { patience } from './patience.ts';

/** Of what a test appends without anybody having asked for it. */
export const testMetadata: EventMetadata = {
  correlationId: 'test',
  causationId: 'test',
  commandId: null,
  actor: { kind: 'system', id: 'test' },
};

/**
 * A store on a database of its own that writes these views as a service does, in the append's transaction; `close` drops
 * the database.
 */
export async function createTestStore(
  views: readonly Projection[],
  options: { readonly maxConnections?: number } = {},
): Promise<PostgresEventStore> {
  // Loaded here, so that pure tests, which import this package too, start without Postgres.
  const { createPostgresEventStore } = await import('@parley/event-store');
  const { createInlineProjector, prepareProjections } = await import('@parley/processing');
  const { url: connectionString, drop } = await createTestDatabase();
  const inlineProjector = createInlineProjector(views);
  const store = await createPostgresEventStore({
    connectionString,
    inlineProjector,
    timeouts: patience,
    ...options,
  });
  await prepareProjections(store.pool, views);
  const close = store.close.bind(store);
  return Object.assign(store, { close: () => close().then(drop) });
}
