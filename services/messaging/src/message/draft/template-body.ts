import { type Rejection, reject } from '@parley/contracts';
import { fitsGap } from '@parley/providers';

/**
 * A placeholder of a template: `key` is the platform's, `name` the one for people. Lists of them begin with the body's.
 */
export interface Gap {
  readonly key: string;
  readonly name: string;
}

export type TemplateValues = Readonly<Record<string, string>>;

export interface FilledTemplate {
  /** The body as the recipient reads it. */
  readonly body: string;
  /** A value for each placeholder, in their order, by the platform's key. */
  readonly parameters: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Fills `{{1}}`, `{{2}}`, … of the body. A value is given by the placeholder's position, key or name (service-api,
 * section 4), in this order; blank values, and those for no placeholder, are ignored. Values are not searched for
 * placeholders.
 */
export function fillTemplate(
  bodyText: string,
  gaps: readonly Gap[],
  values: TemplateValues,
): FilledTemplate | Rejection {
  const found = gaps.map((gap, index) => valueGiven(values, [String(index + 1), gap.key, gap.name]));
  const missing = gaps.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) return variablesMissing(missing);
  const unsendable = gaps.filter((_, index) => !fitsGap(found[index] ?? ''));
  if (unsendable.length > 0) return variablesUnsendable(unsendable);
  return {
    body: bodyText.replace(/\{\{(\d+)\}\}/g, (gap, position: string) => found[Number(position) - 1] ?? gap),
    parameters: gaps.map(({ key }, index) => ({ key, value: found[index] ?? '' })),
  };
}

/** The first value that is not blank; the platform refuses blank ones, so they count as missing. */
function valueGiven(values: TemplateValues, names: readonly string[]): string | undefined {
  const name = names.find(
    (candidate) => Object.hasOwn(values, candidate) && values[candidate]?.trim() !== '',
  );
  return name === undefined ? undefined : values[name];
}

function variablesMissing(missing: readonly Gap[]): Rejection {
  const names = missing.map(({ name }) => name);
  return reject('variables_missing', {
    message: `Values of template variables are missing: ${names.join(', ')}.`,
    details: { missing: names },
  });
}

/** Values that the platform would refuse get the same code as missing ones. */
function variablesUnsendable(unsendable: readonly Gap[]): Rejection {
  const names = unsendable.map(({ name }) => name);
  return reject('variables_missing', {
    message: `Values of template variables cannot be sent, for a line break, a tab or more than four spaces in a row: ${names.join(', ')}.`,
    details: { unsendable: names },
  });
}
