import { type BalanceEvent, formatMicros } from '@parley/contracts';
import type { RecordedEvent } from '@parley/event-store';
import { defineProjection, liveSchema } from '@parley/processing';
import { movementOf } from '../balance/ledger-line.ts';

/**
 * The balance of each account and its ledger lines, numbered 1, 2, 3 … without gaps, each with the total after it.
 * A line's JSON is made from its event, except for its number and the balance after it: those depend on earlier
 * lines, and SQL fills them in.
 */
export const ledgerView = defineProjection<BalanceEvent>({
  name: 'ledger',
  version: 2,
  handles: [
    'BalanceToppedUp',
    'BalanceAdjusted',
    'BalanceDebited',
    'BalanceReserved',
    'BalanceCaptured',
    'BalanceReleased',
    'BalanceRefunded',
  ],
  tables: (schema) => `
    create table ${schema}.balances (
      account_id int8 primary key,
      total_micros int8 not null,
      reserved_micros int8 not null,
      line_count int8 not null,
      position int8 not null,
      check (0 <= reserved_micros)
    ) with (fillfactor = 50);
    create table ${schema}.lines (
      account_id int8,
      line_no int8,
      amount_micros int8 not null,
      balance_after_micros int8 not null,
      body text not null,
      primary key (account_id, line_no)
    );
  `,
  project(events, db) {
    const rows = events.map(toRow);
    db.query({
      name: 'move',
      text: moveStatement(db.schema),
      values: [
        rows.map(({ position }) => position),
        rows.map(({ accountId }) => accountId),
        rows.map(({ amountMicros }) => amountMicros),
        rows.map(({ reservedMicros }) => reservedMicros),
        rows.map(({ head }) => head),
        rows.map(({ tail }) => tail),
      ],
    });
  },
});

export const balancesTable = `${liveSchema(ledgerView)}.balances`;
export const linesTable = `${liveSchema(ledgerView)}.lines`;

function toRow(event: RecordedEvent & BalanceEvent) {
  const { line, reservedMicros } = movementOf(event);
  return {
    position: event.position,
    accountId: event.accountId,
    amountMicros: line?.amountMicros ?? 0,
    reservedMicros,
    head: line && `"type":"${line.type}","amount":"${formatMicros(line.amountMicros)}","balance_after":"`,
    tail:
      line &&
      `",${JSON.stringify({
        description: line.description,
        reference: line.reference,
        created_at: new Date(event.recordedAt).toISOString(),
        event_id: event.eventId,
      }).slice(1)}`,
  };
}

const moveStatement = (schema: string) => `
  with moved as (
    select
      m.*,
      coalesce(b.total_micros, 0) + sum(m.amount) over earlier as total,
      coalesce(b.reserved_micros, 0) + sum(m.reserved) over earlier as reserved_total,
      coalesce(b.line_count, 0) + count(m.head) over earlier as line_no
    from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[], $6::text[])
      m (position, account_id, amount, reserved, head, tail)
    left join ${schema}.balances b on b.account_id = m.account_id
    where m.position > coalesce(b.position, 0)
    window earlier as (partition by m.account_id order by m.position)
  ), lines as (
    insert into ${schema}.lines (account_id, line_no, amount_micros, balance_after_micros, body)
    select account_id, line_no, amount, total, '{"id":' || line_no || ',' || head || ${decimal('total')} || tail
    from moved where head is not null
  )
  insert into ${schema}.balances (account_id, total_micros, reserved_micros, line_count, position)
  select distinct on (account_id) account_id, total, reserved_total, line_no, position
  from moved order by account_id, position desc
  on conflict (account_id) do update set
    total_micros = excluded.total_micros,
    reserved_micros = excluded.reserved_micros,
    line_count = excluded.line_count,
    position = excluded.position`;

/** SQL that does what `formatMicros` does. */
const decimal = (micros: string) =>
  `case when ${micros} < 0 then '-' else '' end || div(abs(${micros}), 1000000) || '.'
    || regexp_replace(lpad(mod(abs(${micros}), 1000000)::text, 6, '0'), '0{1,4}$', '')`;
