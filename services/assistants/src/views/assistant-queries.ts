import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import { assistantsTable, assistantTotalsTable } from './assistants-view.ts';

export interface OwnAssistant {
  readonly accountId: number;
  readonly id: number;
}

export interface RenderedAssistant {
  /** The resource as JSON text. */
  readonly body: string;
  readonly version: number;
}

/** The account's assistant as the API shows it, `null` when it has none of that id; the questions of a tick are one statement. */
export const createAssistantReader = (
  sql: SqlExecutor,
): ((asked: OwnAssistant) => Promise<RenderedAssistant | null>) =>
  createBatchLoader(async (asked: readonly OwnAssistant[]) => {
    const { rows } = await sql.query<{ body: string | null; version: number }>({
      name: 'get-assistant',
      text: `select a.body, a.version from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${assistantsTable} a on a.id = w.id and a.account_id = w.account_id order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ body, version }) => (body === null ? null : { body, version }));
  });

export interface PageOfAssistants {
  readonly accountId: number;
  readonly page: number;
  readonly perPage: number;
}

export interface AssistantPage {
  /** The resources as JSON text, joined by commas. */
  readonly items: string;
  readonly taken: number;
  readonly total: number;
}

/** Pages of an account's assistants, newest first; the pages of a tick are one statement. */
export const createAssistantPages = (
  sql: SqlExecutor,
): ((page: PageOfAssistants) => Promise<AssistantPage>) =>
  createBatchLoader(async (pages: readonly PageOfAssistants[]) => {
    const { rows } = await sql.query<AssistantPage>({
      name: 'list-assistants',
      text: `select coalesce(page.items, '') as items, page.taken, coalesce(t.total, 0) as total
             from unnest($1::int8[], $2::int8[], $3::int8[]) with ordinality w (account_id, skip, take, place)
             left join ${assistantTotalsTable} t on t.account_id = w.account_id
             cross join lateral (
               select string_agg(a.body, ',' order by a.created_position desc) as items, count(*) as taken
               from (
                 select k.created_position from ${assistantsTable} k where k.account_id = w.account_id
                 order by k.created_position desc offset w.skip limit w.take
               ) k
               join ${assistantsTable} a on a.account_id = w.account_id and a.created_position = k.created_position
             ) page
             order by w.place`,
      values: [
        pages.map(({ accountId }) => accountId),
        pages.map(({ page, perPage }) => (page - 1) * perPage),
        pages.map(({ perPage }) => perPage),
      ],
    });
    return rows;
  });

/** What campaigns and calls ask of an assistant. */
export interface AssistantFacts {
  readonly name: string;
  readonly type: 'inbound' | 'outbound';
  readonly status: 'active' | 'inactive';
  readonly phoneNumberId: number | null;
}

/** `null` when the account has no such assistant, deleted ones included. */
export const createAssistantFacts = (
  sql: SqlExecutor,
): ((asked: OwnAssistant) => Promise<AssistantFacts | null>) =>
  createBatchLoader(async (asked: readonly OwnAssistant[]) => {
    const { rows } = await sql.query<{ facts: AssistantFacts | null }>({
      name: 'get-assistant-facts',
      text: `select case when a.id is not null then jsonb_build_object('name', a.resource -> 'name',
               'type', a.resource -> 'type', 'status', a.resource -> 'status',
               'phoneNumberId', a.resource -> 'phone_number_id') end as facts
             from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${assistantsTable} a on a.id = w.id and a.account_id = w.account_id order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ facts }) => facts);
  });

/** Where an assistant tells about its calls, as it is now. */
export interface WebhookSettings {
  readonly postCall: {
    /** `null` when none is set; only used while `isActive`. */
    readonly url: string | null;
    readonly isActive: boolean;
    readonly onlyCompleted: boolean;
    readonly includeRecording: boolean;
  };
  /** `null` when inbound calls are not told about. */
  readonly inboundUrl: string | null;
}

/** `null` when the account has no such assistant, deleted ones included; they tell nobody anything. */
export const createWebhookSettings = (
  sql: SqlExecutor,
): ((asked: OwnAssistant) => Promise<WebhookSettings | null>) =>
  createBatchLoader(async (asked: readonly OwnAssistant[]) => {
    const { rows } = await sql.query<{ settings: WebhookSettings | null }>({
      name: 'get-webhook-settings',
      text: `select case when a.id is not null then jsonb_build_object('postCall', jsonb_build_object(
                 'url', a.resource -> 'webhook_url', 'isActive', a.resource -> 'is_webhook_active',
                 'onlyCompleted', a.resource -> 'send_webhook_only_on_completed',
                 'includeRecording', a.resource -> 'include_recording_in_webhook'),
               'inboundUrl', a.resource -> 'inbound_webhook_url') end as settings
             from unnest($1::int8[], $2::int8[]) with ordinality w (account_id, id, place)
             left join ${assistantsTable} a on a.id = w.id and a.account_id = w.account_id order by w.place`,
      values: [asked.map(({ accountId }) => accountId), asked.map(({ id }) => id)],
    });
    return rows.map(({ settings }) => settings);
  });
