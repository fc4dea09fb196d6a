import type { AutomationDefinition, AutomationEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, type ProjectionDb } from '@parley/processing';
import { automationCategory } from '../automation/automation.ts';
import { bindingOf } from '../automation/binding.ts';

type Recorded = RecordedEvent & AutomationEvent;

/**
 * One row per automation, one per version of its definition. Those of deleted automations stay: runs that end later
 * still have to find what they were.
 */
export const automationsView = defineProjection({
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
  ] satisfies AutomationEvent['type'][],
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
    for (const event of events.filter(isAutomationEvent)) project(event, db);
  },
});

const isAutomationEvent = (event: RecordedEvent): event is Recorded => event.category === automationCategory;

function project(event: Recorded, db: ProjectionDb): void {
  const id = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
  const version = event.streamVersion;
  const set = (name: string, assignment: string, values: readonly unknown[]) =>
    db.query({
      name: `set-${name}`,
      text: `update ${db.schema}.items set version = $2, ${assignment} where id = $1`,
      values: [id, version, ...values],
    });
  switch (event.type) {
    case 'AutomationCreated':
      db.query({
        name: 'insert',
        text: `insert into ${db.schema}.items (id, account_id, created_position, version, name, created_at, updated_at)
               values ($1, $2, $3, $4, $5, $6, $6)`,
        values: [id, event.accountId, event.position, version, event.data.name, event.data.at],
      });
      break;
    case 'AutomationRenamed':
      set('name', 'name = $3, updated_at = $4', [event.data.name, event.data.at]);
      break;
    case 'AutomationDefinitionSaved': {
      const { definition, version: number, at } = event.data;
      // It was checked when it was saved.
      const binding = bindingOf((definition as unknown as AutomationDefinition).trigger);
      db.query({
        name: 'insert-version',
        text: `insert into ${db.schema}.versions (automation_id, version, definition) values ($1, $2, $3)`,
        values: [id, number, JSON.stringify(definition)],
      });
      set('definition', 'definition_version = $3, trigger_type = $4, binding = $5, updated_at = $6', [
        number,
        binding.trigger,
        JSON.stringify(binding),
        at,
      ]);
      break;
    }
    case 'AutomationWebhookIssued':
      set('token', 'token_hash = $3', [event.data.token_hash]);
      break;
    case 'AutomationActivated':
      set('enabled', 'is_enabled = true, enabled_at = $3, updated_at = $4', [
        event.recordedAt,
        event.data.at,
      ]);
      break;
    case 'AutomationDeactivated':
      set('disabled', 'is_enabled = false, enabled_at = null, updated_at = $3', [event.data.at]);
      break;
    case 'AutomationDeleted':
      set('deleted', 'is_deleted = true, is_enabled = false, updated_at = $3', [event.data.at]);
      break;
    default:
      event satisfies never;
  }
}
