import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';
import { itemColumn, shownAttempts, timestampOf } from '../../webhook-delivery/item.ts';
import { type HealthChange, healthChanges, type RecordedHealthEvent } from './endpoint-health.ts';
import {
  type DeliveryChange,
  deliveryChanges,
  type RecordedDeliveryEvent,
} from './webhook-delivery-changes.ts';

const deliveryEvents = [
  'WebhookQueued',
  'WebhookAttemptStarted',
  'WebhookAttemptSucceeded',
  'WebhookAttemptFailed',
  'WebhookAttemptInterrupted',
  'WebhookExhausted',
  'WebhookCancelled',
  'WebhookRedeliveryRequested',
  'WebhookReplayRequested',
] as const satisfies RecordedDeliveryEvent['type'][];

/** Events that set an endpoint anew. */
const settingEvents = [
  'WebhookEnabled',
  'InboundWebhookEnabled',
  'VoiceWebhookSet',
] as const satisfies RecordedHealthEvent['type'][];

/**
 * One row per delivery with its rendered item, and one per URL of an endpoint that fails, which says since when.
 * Indexes include what lists are filtered by, so that rows which a page leaves out are not read.
 */
export const webhookDeliveriesView = defineProjection<RecordedHealthEvent>({
  name: 'webhook_deliveries',
  version: 4,
  handles: [...deliveryEvents, ...settingEvents],
  tables: (schema) => `
    create table ${schema}.items (
      id text collate "C" primary key,
      account_id int8 not null,
      event text collate "C" not null,
      assistant_id int8,
      event_id text not null,
      sequence int4 not null,
      created_position int8 not null,
      active_position int8 not null,
      url text not null,
      url_json text not null,
      status text collate "C" not null,
      attempts jsonb not null,
      next_attempt_at text,
      created_at text not null,
      body text not null generated always as (${itemColumn}) stored
    ) with (fillfactor = 70);
    create unique index items_in_sequence on ${schema}.items (account_id, event, sequence);
    create index items_newest_first on ${schema}.items (account_id, created_position desc)
      include (event, assistant_id);
    create index items_of_status on ${schema}.items (account_id, status, created_position desc)
      include (event, assistant_id);
    create index items_pending on ${schema}.items (account_id, event, assistant_id) where status = 'pending';
    create table ${schema}.failing (
      account_id int8 not null,
      endpoint text collate "C" not null,
      since timestamptz not null,
      primary key (account_id, endpoint)
    );
  `,
  project(events, db) {
    const changes = deliveryChanges(events.filter(isDeliveryEvent));
    insertQueued(
      db,
      changes.filter(({ queued }) => queued),
    );
    updateChanged(
      db,
      changes.filter(({ queued }) => !queued),
    );
    noteHealth(db, healthChanges(events));
  },
});

export const deliveriesTable = `${liveSchema(webhookDeliveriesView)}.items`;
export const failingTable = `${liveSchema(webhookDeliveriesView)}.failing`;

const isDeliveryEvent = (event: { readonly type: string }): event is RecordedDeliveryEvent =>
  deliveryEvents.some((type) => type === event.type);

function insertQueued(db: ProjectionDb, changes: readonly DeliveryChange[]): void {
  if (changes.length === 0) return;
  const queued = changes.flatMap((change) => (change.queued ? [{ ...change, event: change.queued }] : []));
  const column = <T>(of: (change: (typeof queued)[number]) => T): T[] => queued.map(of);
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.items (
             id, account_id, event, assistant_id, event_id, sequence, created_position, active_position, url, url_json,
             status, attempts, next_attempt_at, created_at
           )
           select * from unnest(
             $1::text[], $2::int8[], $3::text[], $4::int8[], $5::text[], $6::int4[], $7::int8[], $8::int8[],
             $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::text[], $14::text[]
           )`,
    values: [
      column(({ id }) => id),
      column(({ event }) => event.accountId),
      column(({ event }) => event.data.endpoint.event),
      column(({ event }) => event.data.endpoint.assistant_id),
      column(({ event }) => event.data.event_id),
      column(({ event }) => event.data.sequence),
      column(({ event }) => event.position),
      column(({ activePosition }) => activePosition),
      column(({ url }) => url),
      column(({ url }) => JSON.stringify(url)),
      column(({ status }) => status),
      column(attemptsOf),
      column(({ nextAttemptAt }) => nextAttemptAt),
      column(({ event }) => timestampOf(event.recordedAt)),
    ],
  });
}

function updateChanged(db: ProjectionDb, changes: readonly DeliveryChange[]): void {
  const real = changes.filter(({ status, attempts, nextAttemptAt }) =>
    [status, nextAttemptAt, attempts[0]].some((value) => value !== undefined),
  );
  if (real.length === 0) return;
  const column = <T>(of: (change: DeliveryChange) => T): T[] => real.map(of);
  db.query({
    name: 'update',
    text: `update ${db.schema}.items i set
             status = coalesce(c.status, i.status),
             url = coalesce(c.url, i.url),
             url_json = coalesce(c.url_json, i.url_json),
             active_position = coalesce(c.active_position, i.active_position),
             attempts = jsonb_path_query_array(i.attempts || c.attempts, '$[last - ${shownAttempts - 1} to last]'),
             next_attempt_at = case when c.is_moved then c.next_attempt_at else i.next_attempt_at end
           from unnest(
             $1::text[], $2::text[], $3::text[], $4::text[], $5::int8[], $6::jsonb[], $7::bool[], $8::text[]
           ) c (id, status, url, url_json, active_position, attempts, is_moved, next_attempt_at)
           where i.id = c.id`,
    values: [
      column(({ id }) => id),
      column(({ status }) => status ?? null),
      column(({ url }) => url ?? null),
      column(({ url }) => (url === undefined ? null : JSON.stringify(url))),
      column(({ activePosition }) => activePosition ?? null),
      column(attemptsOf),
      column(({ nextAttemptAt }) => nextAttemptAt !== undefined),
      column(({ nextAttemptAt }) => nextAttemptAt ?? null),
    ],
  });
}

const attemptsOf = ({ attempts }: DeliveryChange): string => `[${attempts.slice(-shownAttempts).join(',')}]`;

function noteHealth(db: ProjectionDb, changes: readonly HealthChange[]): void {
  const resets = changes.filter(({ isReset }) => isReset);
  if (resets.length > 0)
    db.query({
      name: 'forget-failures',
      text: `delete from ${db.schema}.failing f using unnest($1::int8[], $2::text[]) c (account_id, endpoint)
             where f.account_id = c.account_id and f.endpoint = c.endpoint`,
      values: [resets.map(({ accountId }) => accountId), resets.map(({ endpoint }) => endpoint)],
    });
  const failing = changes.filter(({ failingSince }) => failingSince !== null);
  if (failing.length > 0)
    db.query({
      name: 'note-failures',
      text: `insert into ${db.schema}.failing (account_id, endpoint, since)
             select * from unnest($1::int8[], $2::text[], $3::timestamptz[]) on conflict do nothing`,
      values: [
        failing.map(({ accountId }) => accountId),
        failing.map(({ endpoint }) => endpoint),
        failing.map(({ failingSince }) => failingSince),
      ],
    });
}
