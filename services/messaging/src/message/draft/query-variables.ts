import { fieldErrors, invalidField, type Rejection, reject, sendChatAppTemplate } from '@parley/contracts';
import { losesAnyDigits, parseJson } from '@parley/process-kit';
import type { TemplateValues } from './template-body.ts';

const bodyOfSend = sendChatAppTemplate.body.pick({ variables: true });

/** Reads the template variables of a query: the JSON text of what the send has in its body. None when absent. */
export function variablesOf(text: string | undefined): { readonly values: TemplateValues } | Rejection {
  if (text === undefined) return { values: {} };
  const body = { variables: parseJson(text) };
  if (body.variables === undefined)
    return invalidField('variables', 'The variables must be a JSON object of texts and numbers.');
  const { data, error } = bodyOfSend.safeParse(body);
  if (error) return reject('invalid', { fields: fieldErrors(error, body) });
  // Such numbers are refused in a body.
  return losesAnyDigits(text)
    ? invalidField('variables', 'The variables have more digits than are kept of a number; give it as text.')
    : { values: data.variables ?? {} };
}
