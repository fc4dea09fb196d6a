import type { ProviderAnswer } from '../provider/provider.ts';
import { graphError } from './graph-error.ts';
import type { TemplateContent } from './send-request.ts';
import { isPositional, placeholders, type Template } from './template.ts';

/** Graph's reason not to send this template with these parameters, or null. */
export function refusalOfTemplate(
  template: Template | null,
  content: TemplateContent,
): ProviderAnswer | null {
  if (template?.status !== 'approved')
    return graphError({
      status: 404,
      code: 132001,
      message: 'Template name does not exist in the translation',
      details: `template name (${content.name}) does not exist in ${content.language.code}`,
    });
  const names = placeholders(template.body_text);
  const given = (content.components ?? [])
    .filter(({ type }) => type.toLowerCase() === 'body')
    .flatMap(({ parameters }) => parameters ?? []);
  if (given.length !== names.length)
    return graphError({
      status: 400,
      code: 132000,
      message: 'Number of parameters does not match the expected number of params',
      details: `body: number of localizable_params (${given.length}) does not match the expected number of params (${names.length})`,
    });
  const isNamed = !isPositional(names);
  if (isNamed && !names.every((name) => given.some(({ parameter_name }) => parameter_name === name)))
    return graphError({
      status: 400,
      code: 132012,
      message: 'Parameter format does not match format in the created template',
      details: `body: expected the named parameters ${names.join(', ')}`,
    });
  return null;
}
