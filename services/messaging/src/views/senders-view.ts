import type { SenderEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { itemColumn } from '../sender/sender-item.ts';

type Recorded = RecordedEvent & SenderEvent;

/** One row per sender with its rendered JSON, so that a list is a concatenation; those that were disconnected stay. */
export const sendersView = defineProjection<SenderEvent>({
  name: 'senders',
  version: 3,
  handles: [
    'SenderConnected',
    'SenderRenamed',
    'SenderAssistantChanged',
    'SenderStatusChanged',
    'SenderQualityChanged',
    'SenderMessagingLimitChanged',
    'SenderVoiceCallingChanged',
    'SenderDisconnected',
  ],
  tables: (schema) => `
    create table ${schema}.senders (
      id int8 primary key,
      account_id int8 not null,
      created_position int8 not null,
      phone_number text collate "C" not null,
      phone_number_id text collate "C" not null,
      platform_account_id text collate "C" not null,
      display_name_json text not null,
      status text collate "C" not null,
      quality_rating text collate "C" not null,
      messaging_limit int8,
      voice_calling_enabled boolean not null,
      assistant_id int8,
      disconnected_at timestamptz,
      body text not null generated always as (${itemColumn}) stored
    );
    create index senders_newest_first on ${schema}.senders (account_id, created_position desc);
    create unique index senders_by_number on ${schema}.senders (phone_number_id) where disconnected_at is null;
    create index senders_before on ${schema}.senders (phone_number_id) where disconnected_at is not null;
    create index senders_by_phone on ${schema}.senders (phone_number);
    create index senders_by_platform_account on ${schema}.senders (platform_account_id);
    create index senders_by_assistant on ${schema}.senders (assistant_id) where assistant_id is not null;
  `,
  project(events, db) {
    const disconnected = new Map(
      events
        .filter(({ type }) => type === 'SenderDisconnected')
        .map(({ streamId, recordedAt }) => [streamId, recordedAt]),
    );
    // Before their numbers are connected again.
    updateDisconnected(db, disconnected);
    insertConnected(
      db,
      events.filter((event) => event.type === 'SenderConnected'),
      disconnected,
    );
    updateChanged(
      db,
      events.filter((event) => event.type !== 'SenderConnected' && event.type !== 'SenderDisconnected'),
    );
  },
});

/** All senders that there ever were. */
export const sendersTable = `${liveSchema(sendersView)}.senders`;
export const connectedSenders = `(select * from ${sendersTable} where disconnected_at is null)`;

/** By stream, when it was disconnected (ISO 8601). */
type Disconnected = ReadonlyMap<string, string>;

function updateDisconnected(db: ProjectionDb, disconnected: Disconnected): void {
  if (disconnected.size === 0) return;
  db.query({
    name: 'disconnect',
    text: `update ${db.schema}.senders s set disconnected_at = d.at
           from unnest($1::int8[], $2::timestamptz[]) d (id, at) where s.id = d.id`,
    values: [[...disconnected.keys()].map(idOf), [...disconnected.values()]],
  });
}

const idOf = (streamId: string): number => Number(streamId.slice('sender-'.length));

type Connected = Extract<Recorded, { readonly type: 'SenderConnected' }>;

function insertConnected(
  db: ProjectionDb,
  connected: readonly Connected[],
  disconnected: Disconnected,
): void {
  if (connected.length === 0) return;
  const rows = connected.map(({ accountId, position, streamId, data }) => ({
    id: data.sender_id,
    account_id: accountId,
    created_position: position,
    phone_number: data.phone_number,
    phone_number_id: data.phone_number_id,
    platform_account_id: data.platform_account_id,
    display_name_json: JSON.stringify(data.display_name),
    status: data.status,
    quality_rating: data.quality_rating,
    messaging_limit: data.messaging_limit,
    voice_calling_enabled: data.voice_calling_enabled,
    assistant_id: data.assistant_id,
    disconnected_at: disconnected.get(streamId) ?? null,
  }));
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.senders (id, account_id, created_position, phone_number, phone_number_id,
             platform_account_id, display_name_json, status, quality_rating, messaging_limit,
             voice_calling_enabled, assistant_id, disconnected_at)
           select r.id, r.account_id, r.created_position, r.phone_number, r.phone_number_id,
             r.platform_account_id, r.display_name_json, r.status, r.quality_rating, r.messaging_limit,
             r.voice_calling_enabled, r.assistant_id, r.disconnected_at
           from jsonb_populate_recordset(null::${db.schema}.senders, $1::jsonb) r`,
    values: [JSON.stringify(rows)],
  });
}

/** Writes the changed columns; of several changes of a column in one batch the last counts. */
function updateChanged(db: ProjectionDb, changed: readonly Recorded[]): void {
  if (changed.length === 0) return;
  const changes = new Map<string, Record<string, unknown>>();
  for (const event of changed) {
    const id = idOf(event.streamId);
    changes.set(event.streamId, { ...changes.get(event.streamId), id, ...changedColumns(event) });
  }
  db.query({
    name: 'update',
    text: `update ${db.schema}.senders s set
             display_name_json = coalesce(c.change ->> 'display_name_json', s.display_name_json),
             status = coalesce(c.change ->> 'status', s.status),
             quality_rating = coalesce(c.change ->> 'quality_rating', s.quality_rating),
             messaging_limit = case when c.change ? 'messaging_limit'
               then (c.change ->> 'messaging_limit')::int8 else s.messaging_limit end,
             voice_calling_enabled = coalesce((c.change ->> 'voice_calling_enabled')::boolean, s.voice_calling_enabled),
             assistant_id = case when c.change ? 'assistant_id'
               then (c.change ->> 'assistant_id')::int8 else s.assistant_id end
           from jsonb_array_elements($1::jsonb) c (change)
           where s.id = (c.change ->> 'id')::int8`,
    values: [JSON.stringify([...changes.values()])],
  });
}

function changedColumns(event: Recorded): Readonly<Record<string, unknown>> {
  switch (event.type) {
    case 'SenderRenamed':
      return { display_name_json: JSON.stringify(event.data.display_name) };
    case 'SenderAssistantChanged':
    case 'SenderStatusChanged':
    case 'SenderQualityChanged':
    case 'SenderMessagingLimitChanged':
    case 'SenderVoiceCallingChanged':
      return event.data;
    case 'SenderConnected':
    case 'SenderDisconnected':
      return {};
    default:
      return event satisfies never;
  }
}
