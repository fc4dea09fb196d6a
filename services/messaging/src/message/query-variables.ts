import { invalidField, type Rejection, sendChatAppTemplate } from '@parley/contracts';
import type { TemplateValues } from './template-body.ts';

/** The variables of a send as a query carries them: the JSON text of what its body has. */
export function variablesOf(text: string | undefined): { readonly values: TemplateValues } | Rejection {
  const read = sendChatAppTemplate.body.shape.variables.safeParse(text === undefined ? {} : jsonOf(text));
  return read.success
    ? { values: read.data ?? {} }
    : invalidField('variables', 'The variables must be a JSON object of texts and numbers.');
}

/** Text that is no JSON stays text, which is no object. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
