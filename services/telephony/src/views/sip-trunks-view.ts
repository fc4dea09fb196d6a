import type { SipTrunkEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { sipTrunkCategory } from '../sip-trunk/sip-trunk.ts';

type Recorded = RecordedEvent & SipTrunkEvent;

/** What a batch comes to for one trunk; the keys are columns. */
interface Change {
  readonly id: number;
  readonly account_id: number | null;
  readonly position: number;
  readonly version: number;
  readonly is_created: boolean;
  readonly is_deleted: boolean;
  /** The item's fields that are set. */
  readonly fields: object;
}

/** One row per trunk, its rendered item kept with it; IP addresses that mean nothing are not shown. */
export const sipTrunksView = defineProjection({
  name: 'sip_trunks',
  version: 1,
  handles: [
    'SipTrunkCreated',
    'SipTrunkChanged',
    'SipTrunkPasswordChanged',
    'SipTrunkDeleted',
  ] satisfies SipTrunkEvent['type'][],
  tables: (schema) => `
    create table ${schema}.items (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      version int4 not null,
      item jsonb not null,
      phone_number text not null generated always as (item ->> 'phone_number') stored,
      country_code text not null generated always as (item ->> 'country_code') stored,
      nickname_json text not null generated always as ((item -> 'nickname')::text) stored,
      inbound_trunk_id text not null generated always as (item ->> 'inbound_trunk_id') stored,
      outbound_trunk_id text not null generated always as (item ->> 'outbound_trunk_id') stored,
      body text not null generated always as (
        (case when item -> 'allowed_inbound_ips' = 'null' then item - 'allowed_inbound_ips' else item end)::text
      ) stored
    );
    create index items_newest_first on ${schema}.items (account_id, created_position desc);
    create index items_by_number on ${schema}.items (phone_number);
    create index items_by_platform_id on ${schema}.items (inbound_trunk_id);
  `,
  project(events, db) {
    // `handles` leaves no other events.
    const changes = netChanges(
      events.filter((event): event is Recorded => event.category === sipTrunkCategory),
    );
    write(
      db,
      changes.filter(({ is_deleted }) => !is_deleted),
    );
    remove(
      db,
      changes.filter(({ is_created, is_deleted }) => is_deleted && !is_created),
    );
  },
});

export const sipTrunksTable = `${liveSchema(sipTrunksView)}.items`;

function netChanges(events: readonly Recorded[]): Change[] {
  const byId = new Map<number, Change>();
  for (const event of events) {
    const { accountId, position, streamVersion: version } = event;
    const { id } = event.data;
    const earlier = byId.get(id);
    byId.set(id, {
      id,
      account_id: accountId,
      position: earlier?.position ?? position,
      version,
      is_created: earlier?.is_created === true || event.type === 'SipTrunkCreated',
      is_deleted: event.type === 'SipTrunkDeleted',
      fields: { ...earlier?.fields, ...fieldsOf(event) },
    });
  }
  return [...byId.values()];
}

const fieldsOf = (event: SipTrunkEvent): object =>
  event.type === 'SipTrunkCreated' ? { ...event.data, updated_at: event.data.created_at } : event.data;

function write(db: ProjectionDb, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const rows = `jsonb_to_recordset($1::jsonb) c
    (id int8, account_id int8, position int8, version int4, is_created bool, fields jsonb)`;
  const values = [JSON.stringify(changes)];
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (id, account_id, created_position, version, item)
           select id, account_id, position, version, fields from ${rows} where is_created`,
    values,
  });
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set version = c.version, item = i.item || c.fields
           from ${rows} where i.id = c.id and not c.is_created`,
    values,
  });
}

function remove(db: ProjectionDb, deleted: readonly Change[]): void {
  if (deleted.length === 0) return;
  db.query({
    name: 'delete',
    text: `delete from ${db.schema}.items where id = any($1::int8[])`,
    values: [deleted.map(({ id }) => id)],
  });
}
