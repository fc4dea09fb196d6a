import type { OutgoingMessage } from '@parley/providers';
import type { KnownTemplate } from '../views/template-queries.ts';

const prefix = 'call-permission-ask:';

/** Our own word for the question, which comes back in each of its statuses. */
const askReference = (askId: string): string => `${prefix}${askId}`;

/** The ask a status is of; `null` when it is of another message. */
export const askOfReference = (reference: string | null): string | null =>
  reference?.startsWith(prefix) ? reference.slice(prefix.length) : null;

/** The template with the customer's name on one line, as the platform wants it, or else the number, in its gaps. */
export const askMessage = (
  template: KnownTemplate,
  to: { readonly askId: string; readonly phone: string; readonly name: string | null },
): OutgoingMessage => ({
  to: to.phone,
  reference: askReference(to.askId),
  content: {
    type: 'template',
    name: template.name,
    language: template.language,
    category: template.category,
    format: template.format,
    parameters: template.placeholders.map(({ key }) => ({
      key,
      value: onOneLine(to.name ?? '') || to.phone,
    })),
  },
});

const onOneLine = (name: string): string => name.replaceAll(/\s+/g, ' ').trim();
