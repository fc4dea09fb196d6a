import type { SipTrunkEvent } from '@parley/contracts';
import { defineProjection, documentColumns, liveSchema, writeDocuments } from '@parley/processing';

/** One row per trunk with its rendered JSON, which leaves out `allowed_inbound_ips` where it means nothing. */
export const sipTrunksView = defineProjection<SipTrunkEvent>({
  name: 'sip_trunks',
  version: 2,
  handles: [
    'SipTrunkCreated',
    'SipTrunkChanged',
    'SipTrunkPasswordChanged',
    'SipTrunkRemade',
    'SipTrunkInboundChanged',
    'SipTrunkDeleted',
  ],
  tables: (schema) => `
    create table ${schema}.items (${documentColumns},
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
    create index items_by_inbound_id on ${schema}.items (inbound_trunk_id);
    create index items_by_outbound_id on ${schema}.items (outbound_trunk_id);
  `,
  project(events, db) {
    writeDocuments(db, events, (event) => ({
      id: event.data.id,
      kind: kindOf(event),
      fields: fieldsOf(event),
    }));
  },
});

export const sipTrunksTable = `${liveSchema(sipTrunksView)}.items`;

const kindOf = ({ type }: SipTrunkEvent) =>
  type === 'SipTrunkCreated' ? 'created' : type === 'SipTrunkDeleted' ? 'deleted' : 'changed';

const fieldsOf = (event: SipTrunkEvent): object =>
  event.type === 'SipTrunkCreated' ? { ...event.data, updated_at: event.data.created_at } : event.data;
