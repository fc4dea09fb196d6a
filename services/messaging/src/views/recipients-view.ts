import type { MessageEvent, RecipientsEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';

type Handled = MessageEvent | RecipientsEvent;
type RecordedHandled = RecordedEvent & Handled;

const handles: readonly Handled['type'][] = [
  'RecipientAdmitted',
  'MessageSendStarted',
  'MessageDropped',
  'MessageFailed',
];

/**
 * Whom each sender has written to by templates, and when: what its messaging limit counts. A line that has several
 * spellings is known by the first.
 */
export const recipientsView = defineProjection({
  name: 'recipients',
  version: 2,
  handles,
  tables: (schema) => `
    create table ${schema}.recipients (
      message_id int8 primary key,
      sender_id int8 not null,
      contact_phone text not null,
      at timestamptz not null
    );
    create index recipients_by_time on ${schema}.recipients (sender_id, at);
  `,
  project(events, db) {
    const handled = events.filter(isHandled);
    // What is given up in this batch was added before it, or in it: additions come first.
    add(handled, db);
    remove(handled, db);
  },
});

export const recipientsTable = `${liveSchema(recipientsView)}.recipients`;

const known: ReadonlySet<string> = new Set(handles);
const isHandled = (event: RecordedEvent): event is RecordedHandled => known.has(event.type);

function add(events: readonly RecordedHandled[], db: ProjectionDb): void {
  const added = events.flatMap((event) =>
    event.type === 'RecipientAdmitted' ||
    (event.type === 'MessageSendStarted' && event.data.kind === 'template')
      ? [event]
      : [],
  );
  if (added.length === 0) return;
  db.query({
    name: 'add',
    text: `insert into ${db.schema}.recipients (message_id, sender_id, contact_phone, at)
           select * from unnest($1::int8[], $2::int8[], $3::text[], $4::timestamptz[])
           on conflict (message_id) do nothing`,
    values: [
      added.map(({ data }) => data.message_id),
      added.map(({ data }) => data.sender_id),
      added.map(({ data }) => spellingsOf(data.contact_phone)[0]),
      added.map(({ recordedAt }) => recordedAt),
    ],
  });
}

function remove(events: readonly RecordedHandled[], db: ProjectionDb): void {
  const removed = events.flatMap((event) =>
    event.type === 'MessageDropped' || event.type === 'MessageFailed' ? [event.data.message_id] : [],
  );
  if (removed.length === 0) return;
  db.query({
    name: 'remove',
    text: `delete from ${db.schema}.recipients where message_id = any($1::int8[])`,
    values: [removed],
  });
}
