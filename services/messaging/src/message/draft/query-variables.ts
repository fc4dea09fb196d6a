import { invalidField, type Rejection, sendChatAppTemplate } from '@parley/contracts';
import { losesAnyDigits } from '@parley/process-kit';
import type { TemplateValues } from './template-body.ts';

/** Reads the template variables of a query: the JSON text of what the send has in its body. None when absent. */
export function variablesOf(text: string | undefined): { readonly values: TemplateValues } | Rejection {
  const read = sendChatAppTemplate.body.shape.variables.safeParse(text === undefined ? {} : jsonOf(text));
  if (!read.success)
    return invalidField('variables', 'The variables must be a JSON object of texts and numbers.');
  // Such numbers are refused in a body.
  return text !== undefined && losesAnyDigits(text)
    ? invalidField('variables', 'The variables have more digits than are kept of a number; give it as text.')
    : { values: read.data ?? {} };
}

/** Text that is not JSON is returned as it is, and then refused as no object. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
