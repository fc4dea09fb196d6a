import { createBatchLoader } from '@parley/batching';
import type { WebhookDeliveryStatus, WebhookEndpoint, WebhookKind } from '@parley/contracts';
import type { SqlExecutor } from '@parley/event-store';
import type { EndpointName } from '../../webhook-delivery/endpoints/endpoints.ts';
import { attemptTimerId } from '../../webhook-delivery/sending/attempt-timer.ts';
import { endpointKey } from './endpoint-health.ts';
import { deliveriesTable, failingTable } from './webhook-deliveries-view.ts';

export interface DeliveryRow extends EndpointName {
  readonly id: string;
  readonly account_id: number;
  readonly sequence: number;
  /** Position in the log at which it was queued, or asked for again last. */
  readonly active_position: number;
  /** The rendered item. */
  readonly body: string;
}

export interface PageOfDeliveries {
  readonly accountId: number;
  readonly event: WebhookKind | undefined;
  readonly status: WebhookDeliveryStatus | undefined;
  readonly assistantId: number | undefined;
  /** Only what was queued before this position of the log. */
  readonly before: number;
  readonly limit: number;
}

/** A range of numbers in an account's sequence of one kind of webhook, both ends included. */
interface SequenceRange {
  readonly accountId: number;
  readonly event: WebhookKind;
  readonly from: number;
  readonly to: number;
}

interface DeliveryItem {
  readonly position: number;
  readonly body: string;
}

/** Queries about deliveries. */
export interface WebhookDeliveries {
  /** A page of an account's deliveries, newest first. */
  readonly list: (page: PageOfDeliveries) => Promise<readonly DeliveryItem[]>;
  /** A delivery by its id, whatever account it belongs to. */
  readonly find: (deliveryId: string) => Promise<DeliveryRow | undefined>;
  /** The last number given in an account's sequence of one kind; 0 before the first. */
  readonly lastSequence: (of: { readonly accountId: number; readonly event: WebhookKind }) => Promise<number>;
  /**
   * Number and time of the first webhook that was queued at or after `since` (ISO 8601 with milliseconds); null for
   * none.
   */
  readonly firstSince: (of: {
    readonly accountId: number;
    readonly event: WebhookKind;
    readonly since: string;
  }) => Promise<{ readonly sequence: number; readonly created_at: string } | null>;
  /** The deliveries with these numbers, in their order. */
  readonly inRange: (range: SequenceRange) => Promise<readonly DeliveryRow[]>;
  /**
   * Whether any of these deliveries is pending, has a timer and is to be tried by now: one that waits for another try may
   * do so for days.
   */
  readonly pendingInRange: (range: SequenceRange) => Promise<boolean>;
  /** Since when no attempt has succeeded at the endpoint's URL; null when the last one did, or none has failed. */
  readonly failingSince: (accountId: number, endpoint: WebhookEndpoint) => Promise<Date | null>;
  /**
   * Deliveries on their way to an endpoint that were queued, or last asked for again, before this position of the log.
   */
  readonly pendingBefore: (
    accountId: number,
    endpoint: EndpointName,
    position: number,
  ) => Promise<readonly { readonly id: string; readonly url: string }[]>;
}

export const createWebhookDeliveries = (sql: SqlExecutor): WebhookDeliveries => ({
  list: createLists(sql),

  find: createBatchLoader(async (ids: readonly string[]) => {
    const { rows } = await sql.query<DeliveryRow>({
      name: 'find-webhook-deliveries',
      text: `select id, account_id, event, assistant_id, sequence, active_position, body from ${deliveriesTable} where id = any($1::text[])`,
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }),

  async lastSequence({ accountId, event }) {
    const { rows } = await sql.query<{ sequence: number }>({
      name: 'last-webhook-sequence',
      text: `select sequence from ${deliveriesTable} where account_id = $1 and event = $2 order by sequence desc limit 1`,
      values: [accountId, event],
    });
    return rows[0]?.sequence ?? 0;
  },

  async firstSince({ accountId, event, since }) {
    // All times have one format, so the order of texts is that of times, and also that of the sequence. Searched from
    // its end, because there may be years before.
    const { rows } = await sql.query<{ sequence: number; created_at: string }>({
      name: 'first-webhook-since',
      text: `select sequence, created_at from ${deliveriesTable}
             where account_id = $1 and event = $2 and sequence > coalesce((
               select sequence from ${deliveriesTable}
               where account_id = $1 and event = $2 and created_at < $3 order by sequence desc limit 1
             ), 0)
             order by sequence limit 1`,
      values: [accountId, event, since],
    });
    return rows[0] ?? null;
  },

  async inRange({ accountId, event, from, to }) {
    const { rows } = await sql.query<DeliveryRow>({
      name: 'webhooks-in-range',
      text: `select id, account_id, event, assistant_id, sequence, active_position, body from ${deliveriesTable}
             where account_id = $1 and event = $2 and sequence between $3 and $4 order by sequence`,
      values: [accountId, event, from, to],
    });
    return rows;
  },

  async pendingInRange({ accountId, event, from, to }) {
    const { rows } = await sql.query<{ found: boolean }>({
      name: 'pending-in-range',
      text: `select exists (select 1 from ${deliveriesTable} d
               where account_id = $1 and event = $2 and sequence between $3 and $4 and status = 'pending'
                 and next_attempt_at::timestamptz <= es.now()
                 and exists (select from es.timers t where t.id = '${attemptTimerId('')}' || d.id)) as found`,
      values: [accountId, event, from, to],
    });
    return rows[0]?.found ?? false;
  },

  async failingSince(accountId, endpoint) {
    const { rows } = await sql.query<{ since: Date }>({
      name: 'webhook-failing-since',
      text: `select since from ${failingTable} where account_id = $1 and endpoint = $2`,
      values: [accountId, endpointKey(endpoint)],
    });
    return rows[0]?.since ?? null;
  },

  async pendingBefore(accountId, { event, assistant_id }, position) {
    const { rows } = await sql.query<{ id: string; url: string }>({
      name: 'pending-webhooks',
      text: `select id, url from ${deliveriesTable}
             where account_id = $1 and event = $2 and assistant_id is not distinct from $3 and status = 'pending'
               and active_position < $4
             order by created_position`,
      values: [accountId, event, assistant_id, position],
    });
    return rows;
  },
});

/** Pages of one tick share a statement; there is one statement for each index that finds an account's deliveries. */
function createLists(sql: SqlExecutor): WebhookDeliveries['list'] {
  const all = createList(sql, 'list-webhook-deliveries', '');
  const ofStatus = createList(sql, 'list-webhook-deliveries-of-status', 'and i.status = w.status');
  return (page) => (page.status === undefined ? all(page) : ofStatus(page));
}

const createList = (sql: SqlExecutor, name: string, filter: string): WebhookDeliveries['list'] =>
  createBatchLoader(async (pages: readonly PageOfDeliveries[]) => {
    const { rows } = await sql.query<DeliveryItem & { place: number }>({
      name,
      text: `select w.place::int4, i.created_position as position, (
               -- One by one: a join would read all deliveries of the account.
               select d.body from ${deliveriesTable} d
               where d.account_id = w.account_id and d.created_position = i.created_position
             ) as body
             from unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::int8[])
               with ordinality w (account_id, event, status, assistant_id, before, take, place)
             cross join lateral (
               select i.created_position from ${deliveriesTable} i
               where i.account_id = w.account_id and i.created_position < w.before ${filter}
                 and (w.event is null or i.event = w.event)
                 and (w.assistant_id is null or i.assistant_id = w.assistant_id)
               order by i.created_position desc limit w.take
             ) i
             order by w.place, i.created_position desc`,
      values: [
        pages.map(({ accountId }) => accountId),
        pages.map(({ event }) => event),
        pages.map(({ status }) => status),
        pages.map(({ assistantId }) => assistantId),
        pages.map(({ before }) => before),
        pages.map(({ limit }) => limit),
      ],
    });
    const byPlace = Map.groupBy(rows, ({ place }) => place - 1);
    return pages.map((_, place) => byPlace.get(place) ?? []);
  });
