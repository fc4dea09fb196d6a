import type { ProviderAnswer } from '../provider/provider.ts';
import { graphError } from './graph-error.ts';
import type { TemplateContent } from './send-request.ts';
import {
  componentsBesideBody,
  isPositional,
  placeholders,
  type Template,
  type TemplateComponent,
} from './template.ts';

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
  const texts = (content.components ?? [])
    .flatMap(({ parameters }) => parameters ?? [])
    .flatMap((parameter) => (parameter.type === 'text' ? [parameter.text] : []));
  if (texts.some((text) => /[\n\r\t]| {5}/.test(text)))
    return graphError({
      status: 400,
      code: 132018,
      message: 'There’s an issue with the parameters in your template',
      details: 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
    });
  const names = placeholders(template.body_text);
  const given = (content.components ?? [])
    .filter(({ type }) => type.toLowerCase() === 'body')
    .flatMap(({ parameters }) => parameters ?? [])
    .filter((parameter) => parameter.type === 'text');
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
  return (
    componentsBesideBody(template)
      .map((wanting) => refusalOfComponent(wanting, content))
      .find((refusal) => refusal !== null) ?? null
  );
}

/** Of a header or of buttons that the message leaves unfilled. */
function refusalOfComponent(
  { type, format = 'TEXT', text = '', buttons = [] }: TemplateComponent,
  { components = [] }: TemplateContent,
): ProviderAnswer | null {
  const isGiven = (part: string, kind: string, index?: number): boolean =>
    components.some(
      (given) =>
        given.type.toLowerCase() === part &&
        given.index === index &&
        given.parameters?.some((parameter) => parameter.type === kind),
    );
  const isFilled = format === 'TEXT' && placeholders(text).length === 0;
  if (type === 'HEADER' && !isFilled && !isGiven('header', format.toLowerCase()))
    return graphError({
      status: 400,
      code: 132012,
      message: 'Parameter format does not match format in the created template',
      details: `header: Format mismatch, expected ${format}, received UNKNOWN`,
    });
  const bare = buttons.findIndex((button, index) => {
    const kind = parameterOf(button);
    return kind !== null && !isGiven('button', kind, index);
  });
  return bare < 0
    ? null
    : graphError({
        status: 400,
        code: 131008,
        message: 'Required parameter is missing',
        details: `buttons: Button at index ${bare} of type ${buttons[bare]?.type} requires a parameter`,
      });
}

/** The kind of parameter that a button wants; null for none. */
function parameterOf({ type, url = '' }: NonNullable<TemplateComponent['buttons']>[number]): string | null {
  if (type === 'URL') return placeholders(url).length > 0 ? 'text' : null;
  if (type === 'COPY_CODE') return 'coupon_code';
  return type === 'FLOW' ? 'action' : null;
}
