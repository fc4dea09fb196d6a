import type { AutomationDefinition, AutomationEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { bindingOf } from '../automation/binding.ts';

type Recorded = RecordedEvent & AutomationEvent;

/**
 * One row per automation, and one per version of its definition. Those of deleted automations stay, because runs that
 * end later still need them.
 */
export const automationsView = defineProjection<AutomationEvent>({
  name: 'automations',
  version: 1,
  handles: [
    'AutomationCreated',
    'AutomationRenamed',
    'AutomationDefinitionSaved',
    'AutomationWebhookIssued',
    'AutomationActivated',
    'AutomationDeactivated',
    'AutomationDeleted',
    'AutomationMomentsMissed',
    'AutomationTriggerRefused',
  ],
  tables: (schema) => `
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      version int4 not null,
      name text not null,
      is_enabled bool not null default false,
      is_deleted bool not null default false,
      definition_version int4 not null default 0,
      trigger_type text not null default '',
      binding jsonb not null default '{}',
      token_hash text,
      enabled_at text,
      created_at text not null,
      updated_at text not null
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
    create index items_by_trigger on ${schema}.items (account_id, trigger_type) where is_enabled and not is_deleted;
    create unique index items_by_token on ${schema}.items (token_hash) where not is_deleted;
    create table ${schema}.versions (
      automation_id int8 not null,
      version int4 not null,
      definition jsonb not null,
      primary key (automation_id, version)
    );
  `,
  project(events, db) {
    const changes = [...netChanges(events).values()];
    insertVersions(db, events);
    insertCreated(
      db,
      changes.filter(({ created_at }) => created_at !== undefined),
    );
    updateChanged(
      db,
      changes.filter(({ created_at }) => created_at === undefined),
    );
  },
});

export const automationsTable = `${liveSchema(automationsView)}.items`;

/** The columns that change once a row is there, with their types. */
const columns = {
  version: 'int4',
  name: 'text',
  is_enabled: 'bool',
  is_deleted: 'bool',
  definition_version: 'int4',
  trigger_type: 'text',
  binding: 'jsonb',
  token_hash: 'text',
  enabled_at: 'text',
  updated_at: 'text',
} as const;
type Change = { readonly [K in keyof typeof columns]?: string | number | boolean | object | null } & {
  readonly id: number;
  /** Set when the automation begins in this batch. */
  readonly created_at?: string;
};

/** Values of a new row where its events say nothing. */
const defaults = {
  is_enabled: false,
  is_deleted: false,
  definition_version: 0,
  trigger_type: '',
  binding: {},
};

/** What a batch comes to for each automation: the last value that it has for each column. */
function netChanges(events: readonly Recorded[]): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const event of events) {
    const { streamId, streamVersion: version } = event;
    changes.set(streamId, { ...changes.get(streamId), id: idOf(event), version, ...changedBy(event) });
  }
  return changes;
}

const idOf = ({ streamId }: Recorded): number => Number(streamId.slice(streamId.lastIndexOf('-') + 1));

function changedBy(event: Recorded): Partial<Change> & { readonly created_at?: string } {
  switch (event.type) {
    case 'AutomationCreated': {
      const { name, at } = event.data;
      const { accountId: account_id, position: created_position } = event;
      return { ...defaults, ...{ account_id, created_position }, name, created_at: at, updated_at: at };
    }
    case 'AutomationRenamed':
      return { name: event.data.name, updated_at: event.data.at };
    case 'AutomationDefinitionSaved': {
      // It was checked when it was saved.
      const binding = bindingOf((event.data.definition as unknown as AutomationDefinition).trigger);
      const { version: definition_version, at: updated_at } = event.data;
      return { definition_version, trigger_type: binding.trigger, binding, updated_at };
    }
    case 'AutomationWebhookIssued':
      return { token_hash: event.data.token_hash };
    case 'AutomationActivated':
      return { is_enabled: true, enabled_at: event.recordedAt, updated_at: event.data.at };
    case 'AutomationDeactivated':
      return { is_enabled: false, enabled_at: null, updated_at: event.data.at };
    case 'AutomationDeleted':
      return { is_deleted: true, is_enabled: false, updated_at: event.data.at };
    case 'AutomationMomentsMissed':
    case 'AutomationTriggerRefused':
      return {};
    default:
      event satisfies never;
      return {};
  }
}

function insertVersions(db: ProjectionDb, events: readonly Recorded[]): void {
  const saved = events.flatMap((event) => (event.type === 'AutomationDefinitionSaved' ? [event] : []));
  if (saved.length === 0) return;
  db.query({
    name: 'insert-versions',
    text: `insert into ${db.schema}.versions (automation_id, version, definition)
           select * from unnest($1::int8[], $2::int4[], $3::jsonb[])`,
    values: [
      saved.map(idOf),
      saved.map(({ data }) => data.version),
      saved.map(({ data }) => JSON.stringify(data.definition)),
    ],
  });
}

function insertCreated(db: ProjectionDb, created: readonly Change[]): void {
  if (created.length === 0) return;
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items
           select r.* from jsonb_populate_recordset(null::${db.schema}.items, $1::jsonb) r`,
    values: [JSON.stringify(created)],
  });
}

const assignments = Object.entries(columns)
  .map(([name, type]) => {
    const value = type === 'jsonb' ? `c.change -> '${name}'` : `(c.change ->> '${name}')::${type}`;
    return `${name} = case when c.change ? '${name}' then ${value} else i.${name} end`;
  })
  .join(', ');

function updateChanged(db: ProjectionDb, changed: readonly Change[]): void {
  if (changed.length === 0) return;
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set ${assignments}
           from jsonb_array_elements($1::jsonb) c (change) where i.id = (c.change ->> 'id')::int8`,
    values: [JSON.stringify(changed)],
  });
}
