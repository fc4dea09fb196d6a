import type { Executor } from '../database/transaction.ts';
import { platformId } from './sender.ts';

export interface Template {
  readonly id: string;
  readonly waba_id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  readonly status: string;
  readonly body_text: string;
  /** People's names for the placeholders, in their order. */
  readonly variables: readonly string[];
  readonly kind: 'message' | 'voice_call_request';
  /** What it has beside its body, as Graph shows it. */
  readonly components: readonly TemplateComponent[];
}

export interface TemplateComponent {
  readonly type: string;
  readonly format?: string | undefined;
  readonly text?: string | undefined;
  readonly buttons?: readonly { readonly type: string; readonly url?: string | undefined }[] | undefined;
}

const columns = 'id, waba_id, name, language, category, status, body_text, variables, kind, components';

/** What it has beside its body; an authentication template always has the button that takes its code. */
export const componentsBesideBody = (
  template: Pick<Template, 'category' | 'components'>,
): readonly TemplateComponent[] =>
  template.category === 'authentication' ? [...template.components, codeButton] : template.components;

const codeButton: TemplateComponent = {
  type: 'BUTTONS',
  buttons: [{ type: 'URL', url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}' }],
};

/** The placeholders of a body in the order of their first appearance: `1`, `2` or names. */
export function placeholders(bodyText: string): readonly string[] {
  const found = [...bodyText.matchAll(/\{\{\s*([a-zA-Z0-9_]+)\s*\}\}/g)].map(([, name]) => name ?? '');
  const distinct = [...new Set(found)];
  return isPositional(distinct) ? distinct.sort((a, b) => Number(a) - Number(b)) : distinct;
}

export const isPositional = (names: readonly string[]): boolean => names.every((name) => /^\d+$/.test(name));

/** Creates or replaces the template with the same account, name and language. */
export async function saveTemplate(db: Executor, template: Omit<Template, 'id'>): Promise<Template> {
  const { rows } = await db.query<Template>(
    `insert into chat.templates (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (waba_id, name, language) do update set category = excluded.category, status = excluded.status,
       body_text = excluded.body_text, variables = excluded.variables, kind = excluded.kind,
       components = excluded.components
     returning ${columns}`,
    [
      platformId('template', `${template.waba_id}/${template.name}/${template.language}`),
      template.waba_id,
      template.name,
      template.language,
      template.category,
      template.status,
      template.body_text,
      template.variables,
      template.kind,
      JSON.stringify(template.components),
    ],
  );
  const [saved] = rows;
  if (!saved) throw new Error('The template was not saved.');
  return saved;
}

export async function findTemplate(
  db: Executor,
  wabaId: string,
  name: string,
  language: string,
): Promise<Template | null> {
  const { rows } = await db.query<Template>({
    name: 'find-template',
    text: `select ${columns} from chat.templates where waba_id = $1 and name = $2 and language = $3`,
    values: [wabaId, name, language],
  });
  return rows[0] ?? null;
}

/** In the order of their names. */
export async function listTemplates(db: Executor, wabaId: string): Promise<readonly Template[]> {
  const { rows } = await db.query<Template>(
    `select ${columns} from chat.templates where waba_id = $1 order by name, language`,
    [wabaId],
  );
  return rows;
}
