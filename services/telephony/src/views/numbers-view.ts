import type { NumberEvent, SipTrunkEvent } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema, type ProjectionDb } from '@parley/processing';

type Recorded = RecordedEvent & (NumberEvent | SipTrunkEvent);

/** The columns; `status` is `buying`, `failed`, `active`, `past_due` or `gone`. */
const columns = {
  id: 'int8',
  account_id: 'int8',
  position: 'int8',
  kind: 'text',
  phone_number: 'text',
  country_code: 'text',
  type: 'text',
  sms_capable: 'boolean',
  voice_capable: 'boolean',
  nickname: 'text',
  status: 'text',
  price_cents: 'int8',
  currency: 'text',
  paid_until: 'text',
  grace_ends_at: 'text',
  created_at: 'text',
  command_id: 'text',
} as const;
type Row = { readonly [K in keyof typeof columns]?: string | number | boolean | null };

/** One row per number of a purchase, whatever became of it, and per SIP trunk; their ids are of one sequence. */
export const numbersView = defineProjection<NumberEvent | SipTrunkEvent>({
  name: 'numbers',
  version: 2,
  handles: [
    'NumberPurchaseRequested',
    'NumberPriced',
    'NumberSubscribed',
    'NumberPurchased',
    'NumberPurchaseFailed',
    'NumberRenamed',
    'NumberRenewed',
    'NumberRenewalFailed',
    'NumberReleaseRequested',
    'SipTrunkCreated',
    'SipTrunkChanged',
    'SipTrunkDeleted',
  ],
  tables: (schema) => `
    create table ${schema}.numbers (
      ${Object.entries(columns)
        .map(([name, type]) => `${name} ${type}${name === 'id' ? ' primary key' : ''}`)
        .join(', ')}
    );
    create index numbers_newest_first on ${schema}.numbers (account_id, position desc) where status in ('active', 'past_due');
    create index numbers_by_phone on ${schema}.numbers (phone_number collate "C") where status in ('buying', 'active', 'past_due');
    create index numbers_by_command on ${schema}.numbers (command_id collate "C") where command_id is not null;
  `,
  project(events, db) {
    const changes = new Map<string, Row>();
    const created = new Set<string>();
    for (const event of events) {
      const id = Number(event.streamId.slice(event.streamId.lastIndexOf('-') + 1));
      if (isFirst(event)) created.add(event.streamId);
      changes.set(event.streamId, { ...changes.get(event.streamId), id, ...changedColumns(event) });
    }
    const rows = [...changes];
    insertCreated(
      db,
      rows.filter(([stream]) => created.has(stream)).map(([, row]) => row),
    );
    updateChanged(
      db,
      rows.filter(([stream]) => !created.has(stream)).map(([, row]) => row),
    );
  },
});

export const numbersTable = `${liveSchema(numbersView)}.numbers`;

const isFirst = ({ type }: Recorded): boolean =>
  type === 'NumberPurchaseRequested' || type === 'SipTrunkCreated';

function insertCreated(db: ProjectionDb, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  db.query({
    name: 'insert',
    text: `insert into ${db.schema}.numbers
           select r.* from jsonb_populate_recordset(null::${db.schema}.numbers, $1::jsonb) r`,
    values: [JSON.stringify(rows)],
  });
}

const assignments = Object.entries(columns)
  .filter(([name]) => name !== 'id')
  .map(
    ([name, type]) =>
      `${name} = case when c.change ? '${name}' then (c.change ->> '${name}')::${type} else n.${name} end`,
  )
  .join(', ');

/** Writes the changed columns; of several changes of a column in one batch the last counts. */
function updateChanged(db: ProjectionDb, rows: readonly Row[]): void {
  if (rows.length === 0) return;
  db.query({
    name: 'update',
    text: `update ${db.schema}.numbers n set ${assignments}
           from jsonb_array_elements($1::jsonb) c (change) where n.id = (c.change ->> 'id')::int8`,
    values: [JSON.stringify(rows)],
  });
}

function changedColumns(event: Recorded): Row {
  const { accountId, position, recordedAt } = event;
  const owner = { account_id: accountId, position };
  switch (event.type) {
    case 'NumberPurchaseRequested': {
      const { phone_number, country_code, type, sms_capable, voice_capable, command_id } = event.data;
      const about = { phone_number, country_code, type, sms_capable, voice_capable, command_id };
      return { ...owner, ...about, kind: 'normal', status: 'buying', created_at: recordedAt };
    }
    case 'NumberPriced':
      return {
        price_cents: event.data.monthly_price.minor_units,
        currency: event.data.monthly_price.currency,
      };
    case 'NumberSubscribed':
      return { paid_until: event.data.paid_until };
    case 'NumberPurchased':
      return { position, status: 'active', created_at: recordedAt };
    case 'NumberPurchaseFailed':
      return { status: 'failed' };
    case 'NumberRenamed':
      return { nickname: event.data.nickname };
    case 'NumberRenewed':
      return { status: 'active', paid_until: event.data.paid_until, grace_ends_at: null };
    case 'NumberRenewalFailed':
      return { status: 'past_due', grace_ends_at: event.data.grace_ends_at };
    case 'NumberReleaseRequested':
    case 'SipTrunkDeleted':
      return { status: 'gone' };
    case 'SipTrunkCreated': {
      const { phone_number, country_code, nickname, created_at } = event.data;
      const about = { phone_number, country_code, nickname, created_at };
      return { ...owner, ...about, kind: 'sip', sms_capable: false, voice_capable: true, status: 'active' };
    }
    case 'SipTrunkChanged':
      return shared(event.data);
    default:
      return {};
  }
}

const sharedColumns = new Set(['phone_number', 'country_code', 'nickname']);

/** The changed columns that a trunk shares with this view. */
const shared = (changed: object): Row =>
  Object.fromEntries(
    Object.entries(changed).filter(([name, value]) => sharedColumns.has(name) && value !== undefined),
  );
