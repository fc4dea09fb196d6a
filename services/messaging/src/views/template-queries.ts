import { createBatchLoader } from '@parley/batching';
import type { SqlExecutor } from '@parley/event-store';
import type { Template } from '../template/template.ts';
import { templatesTable } from './templates-view.ts';

/** A template as it is now. */
export type KnownTemplate = NonNullable<Template>;

type TemplateRow = Pick<
  KnownTemplate,
  'id' | 'senderId' | 'platformId' | 'status' | 'category' | 'kind' | 'format'
> & {
  readonly nameJson: string;
  readonly languageJson: string;
  readonly bodyTextJson: string;
  readonly placeholdersJson: string;
};

const columns = `t.id, t.sender_id as "senderId", t.platform_template_id as "platformId", t.status, t.category, t.kind,
  t.format, t.name_json as "nameJson", t.language_json as "languageJson", t.body_text_json as "bodyTextJson",
  t.placeholders as "placeholdersJson"`;

const toTemplate = ({
  nameJson,
  languageJson,
  bodyTextJson,
  placeholdersJson,
  ...row
}: TemplateRow): KnownTemplate => ({
  ...row,
  name: JSON.parse(nameJson),
  language: JSON.parse(languageJson),
  bodyText: JSON.parse(bodyTextJson),
  placeholders: JSON.parse(placeholdersJson),
});

/** Finds templates by id, those of one tick in one statement; `undefined` where there is none. */
export function createTemplateLoader(sql: SqlExecutor): (id: number) => Promise<KnownTemplate | undefined> {
  return createBatchLoader(async (ids: readonly number[]) => {
    const { rows } = await sql.query<TemplateRow>({
      name: 'templates-by-id',
      text: `select ${columns} from ${templatesTable} t where t.id = any($1::int8[])`,
      values: [ids],
    });
    const byId = new Map(rows.map((row) => [row.id, toTemplate(row)]));
    return ids.map((id) => byId.get(id));
  });
}

/** The approved templates of a sender that ask for call permission, newest first. */
export async function findVoiceTemplates(
  sql: SqlExecutor,
  senderId: number,
): Promise<readonly KnownTemplate[]> {
  const { rows } = await sql.query<TemplateRow>({
    name: 'voice-templates-of-sender',
    text: `select ${columns} from ${templatesTable} t
           where t.sender_id = $1 and t.kind = 'voice_call_request' and t.status = 'approved'
           order by t.created_position desc`,
    values: [senderId],
  });
  return rows.map(toTemplate);
}

/** All templates of a sender. */
export async function findTemplatesOf(sql: SqlExecutor, senderId: number): Promise<readonly KnownTemplate[]> {
  const { rows } = await sql.query<TemplateRow>({
    name: 'templates-of-sender',
    text: `select ${columns} from ${templatesTable} t where t.sender_id = $1`,
    values: [senderId],
  });
  return rows.map(toTemplate);
}

export interface WantedTemplates {
  readonly senderId: number;
  /** Only templates with this status; all of them when `null`. */
  readonly status: 'approved' | 'pending' | 'rejected' | null;
}

/**
 * Lists of templates, newest first, as JSON texts joined by commas; the lists of one tick are read in one statement.
 */
export const createTemplateLists = (sql: SqlExecutor): ((wanted: WantedTemplates) => Promise<string>) =>
  createBatchLoader(async (wanted: readonly WantedTemplates[]) => {
    const { rows } = await sql.query<{ items: string }>({
      name: 'list-templates',
      text: `select coalesce(items.items, '') as items
             from unnest($1::int8[], $2::text[]) with ordinality w (sender_id, status, place)
             cross join lateral (
               select string_agg(t.body, ',' order by t.created_position desc) as items
               from ${templatesTable} t
               where t.sender_id = w.sender_id and (w.status is null or t.status = w.status)
             ) items
             order by w.place`,
      values: [wanted.map(({ senderId }) => senderId), wanted.map(({ status }) => status)],
    });
    return rows.map(({ items }) => items);
  });
