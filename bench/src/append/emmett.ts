import { STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import type pg from 'pg';
import { eventData, metadata, newNumber, newStream } from './sample-event.ts';
import { closedLoop, type Variant } from './variant.ts';

type FolderCreated = {
  readonly type: 'FolderCreated';
  readonly data: ReturnType<typeof eventData>;
  readonly metadata: typeof metadata;
};

/** `@event-driven-io/emmett-postgresql` over a pool of ours: the event and the stream's version, no command. */
export async function emmettVariant(url: string, pool: pg.Pool, concurrency: number): Promise<Variant> {
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
  await store.schema.migrate();
  return {
    table: 'emt_messages',
    measure: (durationMs) =>
      closedLoop(durationMs, concurrency, async () => {
        const event: FolderCreated = { type: 'FolderCreated', data: eventData(newNumber()), metadata };
        await store.appendToStream(newStream(), [event], { expectedStreamVersion: STREAM_DOES_NOT_EXIST });
      }),
  };
}
