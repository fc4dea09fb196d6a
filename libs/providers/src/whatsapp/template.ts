import { dropUnstorable } from '@parley/contracts';
import { z } from 'zod';
import type { ChatTemplate, Placeholder } from '../chat-platform.ts';
import { gapsBesideBody, keysIn, placeholder } from './template-gaps.ts';

const text = () => z.string().transform(dropUnstorable);

/** The fields that are read of a template. */
export const templateFields = 'id,name,language,status,category,parameter_format,components';

const component = z.object({
  type: z.string(),
  format: z.string().optional().catch(undefined),
  text: text().optional(),
  buttons: z
    .array(z.object({ type: z.string(), url: text().optional() }))
    .optional()
    .catch(undefined),
  example: z
    .object({ body_text: z.array(z.array(text())).optional() })
    .optional()
    .catch(undefined),
});

export const templateNode = z.object({
  id: z.string(),
  name: text(),
  language: text(),
  status: z.string(),
  category: z.string(),
  components: z.array(component).default([]),
});

type Node = z.output<typeof templateNode>;

const categories = ['marketing', 'utility', 'authentication'] as const;
const waiting = new Set(['PENDING', 'IN_APPEAL', 'PENDING_REVIEW', 'DRAFT']);

/** The template that a node of Graph describes; an unknown category counts as `utility`. */
export function toChatTemplate(node: Node): ChatTemplate {
  const body = node.components.find(({ type }) => type.toUpperCase() === 'BODY');
  const text = body?.text ?? '';
  const keys = placeholderKeys(text);
  const category = categories.find((known) => known === node.category.toLowerCase()) ?? 'utility';
  const header = node.components.find(({ type }) => type.toUpperCase() === 'HEADER');
  const isPositional = [...keys, ...keysIn(header?.text ?? '')].every((key) => /^\d+$/.test(key));
  const format = isPositional ? 'positional' : 'named';
  const beside = gapsBesideBody(node.components, category);
  const inBody =
    format === 'named'
      ? keys.map((key) => ({ key, name: key }))
      : named(keys, body?.example, keys.length + beside.length);
  const isVoiceRequest = node.components.some(({ type }) => type.toLowerCase() === 'call_permission_request');
  return {
    platformId: node.id,
    name: node.name,
    language: node.language,
    category,
    status: readStatus(node.status),
    kind: isVoiceRequest ? 'voice_call_request' : 'message',
    bodyText: numbered(text, keys),
    format,
    placeholders: [...inBody, ...beside],
  };
}

/**
 * The status here. `rejected` is whatever cannot be sent until somebody changes it, paused and disabled ones included.
 */
function readStatus(status: string): ChatTemplate['status'] {
  if (status === 'APPROVED') return 'approved';
  return waiting.has(status) ? 'pending' : 'rejected';
}

/** The keys of a text's placeholders: by number when all are numbers, else in order of appearance. */
function placeholderKeys(text: string): readonly string[] {
  const keys = keysIn(text);
  return keys.every((key) => /^\d+$/.test(key)) ? keys.toSorted((a, b) => Number(a) - Number(b)) : keys;
}

const numbered = (text: string, keys: readonly string[]): string =>
  text.replaceAll(placeholder, (_, key: string) => `{{${keys.indexOf(key) + 1}}}`);

/**
 * The placeholders with names. The platform has no names for positional ones: their examples serve as names if they are
 * distinct, and none is the position of another placeholder (values are matched by position first). Else the number.
 */
function named(
  keys: readonly string[],
  example: Node['components'][number]['example'],
  gaps: number,
): Placeholder[] {
  const [names = []] = example?.body_text ?? [];
  const positions = new Set(Array.from({ length: gaps }, (_, index) => String(index + 1)));
  const isOfAnother = (name: string, index: number) => positions.has(name) && name !== String(index + 1);
  const isUsable =
    new Set(names).size === keys.length && names.length === keys.length && !names.some(isOfAnother);
  return keys.map((key, index) => ({ key, name: (isUsable ? names[index] : undefined) ?? key }));
}
