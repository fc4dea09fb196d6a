import type { TemplateEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';

type Recorded = RecordedEvent & TemplateEvent;

/** SQL of a template's JSON in the API. Columns named `…_json` are JSON text; the other texts need no escaping. */
const itemColumn = `
  '{"id":' || id::text || ',"name":' || name_json || ',"language":' || language_json
    || ',"category":"' || category || '","status":"' || status || '","body_text":' || body_text_json
    || ',"variables":' || variables_json || ',"has_variables":'
    || case when variables_json = '[]' then 'false' else 'true' end || ',"kind":"' || kind || '"}'`;

/** One row per template that the platform has, with its rendered JSON. */
export const templatesView = defineProjection<TemplateEvent>({
  name: 'templates',
  version: 1,
  handles: ['TemplateAdded', 'TemplateStatusChanged', 'TemplateContentChanged', 'TemplateRemoved'],
  tables: (schema) => `
    create table ${schema}.templates (
      id int8 primary key,
      sender_id int8 not null,
      account_id int8 not null,
      created_position int8 not null,
      platform_template_id text collate "C" not null,
      name_json text not null,
      language_json text not null,
      status text collate "C" not null,
      category text collate "C" not null,
      kind text collate "C" not null,
      format text collate "C" not null,
      body_text_json text not null,
      placeholders text not null,
      variables_json text not null,
      body text not null generated always as (${itemColumn}) stored
    );
    create index templates_newest_first on ${schema}.templates (sender_id, created_position desc);
  `,
  project(events, db) {
    insertAdded(
      db,
      events.filter((event) => event.type === 'TemplateAdded'),
    );
    updateChanged(db, events);
    deleteRemoved(
      db,
      events.filter(({ type }) => type === 'TemplateRemoved'),
    );
  },
});

export const templatesTable = `${liveSchema(templatesView)}.templates`;

type Added = Extract<Recorded, { readonly type: 'TemplateAdded' }>;
type ContentData = Extract<TemplateEvent, { readonly type: 'TemplateContentChanged' }>['data'];

function insertAdded(db: ProjectionDb, added: readonly Added[]): void {
  if (added.length === 0) return;
  const rows = added.map(({ accountId, position, data }) => ({
    id: data.template_id,
    sender_id: data.sender_id,
    account_id: accountId,
    created_position: position,
    platform_template_id: data.platform_template_id,
    name_json: JSON.stringify(data.name),
    language_json: JSON.stringify(data.language),
    status: data.status,
    ...contentColumns(data),
  }));
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.templates (id, sender_id, account_id, created_position, platform_template_id,
             name_json, language_json, status, category, kind, format, body_text_json, placeholders, variables_json)
           select r.id, r.sender_id, r.account_id, r.created_position, r.platform_template_id,
             r.name_json, r.language_json, r.status, r.category, r.kind, r.format, r.body_text_json, r.placeholders,
             r.variables_json
           from jsonb_populate_recordset(null::${db.schema}.templates, $1::jsonb) r`,
    values: [JSON.stringify(rows)],
  });
}

/** Of several changes of a column in one batch the last counts. */
function updateChanged(db: ProjectionDb, recorded: readonly Recorded[]): void {
  const changes = new Map<string, Record<string, unknown>>();
  for (const event of recorded) {
    const columns = changedColumns(event);
    if (!columns) continue;
    const id = Number(event.streamId.slice('template-'.length));
    changes.set(event.streamId, { ...changes.get(event.streamId), id, ...columns });
  }
  if (changes.size === 0) return;
  db.query({
    name: 'update',
    text: `update ${db.schema}.templates t set
             status = coalesce(c.status, t.status),
             category = coalesce(c.category, t.category),
             kind = coalesce(c.kind, t.kind),
             format = coalesce(c.format, t.format),
             body_text_json = coalesce(c.body_text_json, t.body_text_json),
             placeholders = coalesce(c.placeholders, t.placeholders),
             variables_json = coalesce(c.variables_json, t.variables_json)
           from jsonb_to_recordset($1::jsonb) c (id int8, status text, category text, kind text, format text,
             body_text_json text, placeholders text, variables_json text)
           where t.id = c.id`,
    values: [JSON.stringify([...changes.values()])],
  });
}

function changedColumns(event: Recorded): Readonly<Record<string, string>> | undefined {
  switch (event.type) {
    case 'TemplateStatusChanged':
      return event.data;
    case 'TemplateContentChanged':
      return contentColumns(event.data);
    case 'TemplateAdded':
    case 'TemplateRemoved':
      return undefined;
    default:
      return event satisfies never;
  }
}

const contentColumns = ({ category, kind, format, body_text, placeholders }: ContentData) => ({
  category,
  kind,
  format,
  body_text_json: JSON.stringify(body_text),
  placeholders: JSON.stringify(placeholders),
  variables_json: JSON.stringify(placeholders.map(({ name }) => name)),
});

function deleteRemoved(db: ProjectionDb, removed: readonly Recorded[]): void {
  if (removed.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.templates where id = any($1::int8[])`,
    values: [removed.map(({ streamId }) => Number(streamId.slice('template-'.length)))],
  });
}
