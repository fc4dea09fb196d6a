import type { CallEvent } from '@parley/contracts';
import { defineProjection, documentColumns, liveSchema, writeDocuments } from '@parley/processing';
import { fieldsOf } from '../call/item.ts';

/** SQL condition of a call that goes on, and SQL expression for whom it is with; an index has both. */
export const isUnderWay = `status in ('queued', 'ringing', 'in_progress')`;
export const customerPhone = `item ->> 'customer_phone'`;

/**
 * One row per call with its rendered JSON; a call that was dropped before it was placed has none. The index includes
 * the columns that lists are filtered by, so that calls are counted without reading their transcripts.
 */
export const callsView = defineProjection<CallEvent>({
  name: 'calls',
  version: 5,
  handles: [
    'CallRequested',
    'CallArrived',
    'CallDialed',
    'CallNotPlaced',
    'CallDeadlinePassed',
    'CallEnded',
    'CallRecordingAdded',
    'CallCharged',
    'CallNotCharged',
  ],
  tables: (schema) => `
    create table ${schema}.items (${documentColumns},
      room text not null generated always as (item ->> 'room') stored,
      direction text not null generated always as (item ->> 'direction') stored,
      status text not null generated always as (item ->> 'status') stored,
      assistant_id int8 generated always as ((item ->> 'assistant_id')::int8) stored,
      body text not null generated always as ((item - 'room')::text) stored
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc)
      include (assistant_id, direction, status);
    create index items_by_room on ${schema}.items (room);
    create index items_under_way on ${schema}.items (account_id, (${customerPhone})) where ${isUnderWay};
  `,
  project(events, db) {
    writeDocuments(db, events, (event) => ({
      id: event.data.call_id,
      kind: event.type === 'CallRequested' || event.type === 'CallArrived' ? 'created' : 'changed',
      fields: fieldsOf(event),
    }));
  },
});

export const callsTable = `${liveSchema(callsView)}.items`;
