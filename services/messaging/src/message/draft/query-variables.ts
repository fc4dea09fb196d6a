import { invalidField, type Rejection, sendChatAppTemplate } from '@parley/contracts';
import type { TemplateValues } from './template-body.ts';

/** Reads the template variables of a query: the JSON text of what the send has in its body. None when absent. */
export function variablesOf(text: string | undefined): { readonly values: TemplateValues } | Rejection {
  const read = sendChatAppTemplate.body.shape.variables.safeParse(text === undefined ? {} : jsonOf(text));
  return read.success
    ? { values: read.data ?? {} }
    : invalidField('variables', 'The variables must be a JSON object of texts and numbers.');
}

/** Text that is not JSON is returned as it is, and then refused as no object. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
