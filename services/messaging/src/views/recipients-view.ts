import type { MessageEvent, RecipientsEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { spellingsOf } from '@parley/phone-numbers';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';

type Handled = MessageEvent | RecipientsEvent;
type RecordedHandled = RecordedEvent & Handled;
type Taking = RecordedEvent & Extract<Handled, { readonly type: 'RecipientAdmitted' | 'MessageSendStarted' }>;
type GivingBack = RecordedEvent & Extract<Handled, { readonly type: 'MessageDropped' | 'MessageFailed' }>;

/**
 * Whom each sender has sent templates to, and when: what its messaging limit counts. A number with several spellings is
 * kept in the first. Places that were given back stay, so that the past can be asked about.
 */
export const recipientsView = defineProjection<Handled>({
  name: 'recipients',
  version: 3,
  handles: ['RecipientAdmitted', 'MessageSendStarted', 'MessageDropped', 'MessageFailed'],
  tables: (schema) => `
    create table ${schema}.recipients (
      message_id int8 not null,
      sender_id int8 not null,
      contact_phone text not null,
      at timestamptz not null,
      given_back_at timestamptz
    );
    create unique index recipients_by_message on ${schema}.recipients (message_id) where given_back_at is null;
    create index recipients_by_time on ${schema}.recipients (sender_id, at);
  `,
  project(events, db) {
    for (const part of partsOf(events)) {
      take(part.filter(isTaking), db);
      giveBack(part.filter(isGivingBack), db);
    }
  },
});

export const recipientsTable = `${liveSchema(recipientsView)}.recipients`;

const isTaking = (event: RecordedHandled): event is Taking =>
  event.type === 'RecipientAdmitted' ||
  (event.type === 'MessageSendStarted' && event.data.kind === 'template');
const isGivingBack = (event: RecordedHandled): event is GivingBack =>
  event.type === 'MessageDropped' || event.type === 'MessageFailed';

/**
 * Splits a batch so that in no part a message takes a place after it gave one back: each part can be written in two
 * statements, first all takings, then all returns.
 */
function partsOf(events: readonly RecordedHandled[]): RecordedHandled[][] {
  let part: RecordedHandled[] = [];
  const parts = [part];
  const givenBack = new Set<number>();
  for (const event of events) {
    if (isTaking(event) && givenBack.has(event.data.message_id)) {
      part = [];
      parts.push(part);
      givenBack.clear();
    }
    if (isGivingBack(event)) givenBack.add(event.data.message_id);
    part.push(event);
  }
  return parts;
}

function take(events: readonly Taking[], db: ProjectionDb): void {
  if (events.length === 0) return;
  db.query({
    name: 'take',
    text: `insert into ${db.schema}.recipients (message_id, sender_id, contact_phone, at)
           select * from unnest($1::int8[], $2::int8[], $3::text[], $4::timestamptz[])
           on conflict (message_id) where given_back_at is null do nothing`,
    values: [
      events.map(({ data }) => data.message_id),
      events.map(({ data }) => data.sender_id),
      events.map(({ data }) => spellingsOf(data.contact_phone)[0]),
      events.map(({ recordedAt }) => recordedAt),
    ],
  });
}

function giveBack(events: readonly GivingBack[], db: ProjectionDb): void {
  if (events.length === 0) return;
  db.query({
    name: 'give-back',
    text: `update ${db.schema}.recipients r set given_back_at = g.at
           from (
             select message_id, min(at) as at from unnest($1::int8[], $2::timestamptz[]) g (message_id, at)
             group by message_id
           ) g
           where r.message_id = g.message_id and r.given_back_at is null`,
    values: [events.map(({ data }) => data.message_id), events.map(({ recordedAt }) => recordedAt)],
  });
}
