import type { KnowledgebaseEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { type DocumentEffect, defineProjection, documentColumns, writeDocuments } from '@parley/processing';
import { type Knowledgebase, knowledgebase, toItem } from '../../knowledgebase/knowledgebase.ts';

type Recorded = RecordedEvent & KnowledgebaseEvent;

const order = Object.keys(toItem({ id: 0, name: '', description: '', updated_at: '' }));
const bodyColumn = `'{' || ${order
  .map((field) => `'"${field}":' || coalesce((item -> '${field}')::text, 'null')`)
  .join(` || ',' || `)} || '}'`;

/** One row per knowledgebase, its rendered item kept with it. */
export const knowledgebasesView = defineProjection<KnowledgebaseEvent>({
  name: 'knowledgebases',
  version: 2,
  handles: ['KnowledgebaseCreated', 'KnowledgebaseRenamed', 'KnowledgebaseDescribed', 'KnowledgebaseDeleted'],
  tables: (schema) => `
    create table ${schema}.items (${documentColumns},
      body text not null generated always as (${bodyColumn}) stored
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
  `,
  project: (events, db) => writeDocuments(db, events, effectOf),
});

function effectOf(event: Recorded): DocumentEffect {
  const id = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
  switch (event.type) {
    case 'KnowledgebaseCreated': {
      const created: Knowledgebase = knowledgebase.evolve(null, event);
      return { id, kind: 'created', fields: created ? toItem(created) : {} };
    }
    case 'KnowledgebaseDeleted':
      return { id, kind: 'deleted', fields: {} };
    default:
      return { id, kind: 'changed', fields: event.data };
  }
}
