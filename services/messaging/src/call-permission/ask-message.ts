import type { OutgoingMessage } from '@parley/providers';
import type { KnownTemplate } from '../views/template-queries.ts';

const prefix = 'call-permission-ask:';

/** Reference of an ask's message, which the platform repeats in each of its statuses. */
const askReference = (askId: string): string => `${prefix}${askId}`;

/** Id of the ask that a status is about; `null` when it is about another message. */
export const askOfReference = (reference: string | null): string | null =>
  reference?.startsWith(prefix) ? reference.slice(prefix.length) : null;

/**
 * The message of an ask. Each placeholder gets the customer's name on one line, as the platform accepts no line breaks,
 * or the number when there is no name.
 */
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
